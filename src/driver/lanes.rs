//! Threads that run the twins of senders beside the one that reads.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use crate::analysis::{Job, Lanes};

/// A thread with its two ways.
#[derive(Debug)]
struct Worker {
    jobs: SyncSender<Box<Job>>,
    done: Receiver<Box<Job>>,
    thread: JoinHandle<()>,
}

/// More threads than any machine has processors for; where the system runs out of them, a thread may be given that cannot start.
const MOST: usize = 1_024;

/// One lane a thread.
#[derive(Debug)]
pub(super) struct Threads {
    workers: Vec<Option<Worker>>,
}

impl Threads {
    /// What is left of `threads` beside the one that reads; `None` if nothing is, or if the system gives none.
    pub(super) fn beside_this(threads: usize) -> Option<Self> {
        let workers: Vec<_> = (1..threads.min(MOST)).map_while(|_| Worker::start()).map(Some).collect();
        (!workers.is_empty()).then_some(Self { workers })
    }
}

impl Worker {
    fn start() -> Option<Self> {
        let (jobs, todo) = sync_channel::<Box<Job>>(1);
        let (ready, done) = sync_channel(1);
        let run = move || {
            while let Ok(mut job) = todo.recv() {
                job.run();
                if ready.send(job).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("twins".to_owned()).spawn(run).ok()?;
        Some(Self { jobs, done, thread })
    }
}

impl Lanes for Threads {
    fn count(&self) -> usize {
        self.workers.len()
    }

    fn send(&mut self, lane: usize, job: Box<Job>) {
        if let Some(Some(worker)) = self.workers.get(lane) {
            // Whoever is gone has panicked, which `receive` passes on.
            _ = worker.jobs.send(job);
        }
    }

    fn receive(&mut self, lane: usize) -> Box<Job> {
        let Some(place) = self.workers.get_mut(lane) else { return Box::default() };
        if let Some(worker) = place
            && let Ok(job) = worker.done.recv()
        {
            return job;
        }
        if let Some(worker) = place.take()
            && let Err(panic) = worker.thread.join()
        {
            std::panic::resume_unwind(panic);
        }
        Box::default()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        for worker in self.workers.drain(..).flatten() {
            drop((worker.jobs, worker.done));
            // A panic here was told before, or is of no more use.
            _ = worker.thread.join();
        }
    }
}

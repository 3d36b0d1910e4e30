//! Runs jobs on threads: within a bound of memory, each for a limited time, and whatever becomes of one the others go on.
//!
//! A thread cannot be ended from outside. A job whose time is over is asked to stop; if it does not, it is left behind: it
//! may no longer commit anything, and another thread takes its place.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often deadlines are looked at and progress is told.
const TICK: Duration = Duration::from_millis(100);

/// How long a job that was asked to stop has for that.
const GRACE: Duration = Duration::from_secs(5);

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Jobs at a time.
    pub jobs: usize,
    /// Bytes for all that run at a time; one runs in any case.
    pub memory: u64,
    /// Time for one job; `None` for no limit.
    pub timeout: Option<Duration>,
}

const RUNNING: u8 = 0;
const COMMITTING: u8 = 1;
const CANCELLED: u8 = 2;

/// Says to a job whether it is still wanted.
#[derive(Debug, Default)]
pub struct Ticket(AtomicU8);

impl Ticket {
    /// Whether to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) == CANCELLED
    }

    /// Whether the job may put its results in place. From then on it cannot be cancelled.
    pub fn may_commit(&self) -> bool {
        self.0.compare_exchange(RUNNING, COMMITTING, Ordering::AcqRel, Ordering::Acquire).is_ok()
            || self.0.load(Ordering::Acquire) == COMMITTING
    }

    fn cancel(&self) {
        // One that is committing is let be.
        let _ = self.0.compare_exchange(RUNNING, CANCELLED, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// How a job ended.
#[derive(Debug)]
pub enum End<R> {
    /// It returned.
    Done(R),
    /// It panicked, with this text.
    Panicked(String),
    /// Its time was over.
    TimedOut,
}

/// A job that has ended.
#[derive(Debug)]
pub struct Ended<R> {
    /// Its number.
    pub job: usize,
    /// How.
    pub end: End<R>,
    /// How long it took.
    pub took: Duration,
}

/// What is to be done: jobs are numbers from 0 on, and start in that order as far as memory allows.
pub trait Work: Send + Sync + 'static {
    /// What a job gives.
    type Result: Send + 'static;

    /// How many there are.
    fn jobs(&self) -> usize;

    /// Bytes that one may need.
    fn need(&self, job: usize) -> u64;

    /// Does one.
    fn run(&self, job: usize, ticket: &Ticket) -> Self::Result;
}

/// Told of what happens, on the thread that called [`run`].
pub trait Watch<R> {
    /// A job has ended. `false` to start no more.
    fn ended(&mut self, ended: Ended<R>) -> bool;

    /// Some time has passed.
    fn tick(&mut self);
}

/// Runs all jobs of `work`, and returns when each has ended or was left behind.
pub fn run<W: Work>(work: &Arc<W>, limits: Limits, watch: &mut dyn Watch<W::Result>) {
    let pool = Arc::new(Pool {
        work: Arc::clone(work),
        state: Mutex::new(State { next: 0, memory: limits.memory, running: Vec::new(), stopped: false }),
        freed: Condvar::new(),
    });
    let (sender, ended) = mpsc::channel();
    let threads = limits.jobs.min(work.jobs());
    let started = (0..threads).filter(|_| start(&pool, &sender)).count();
    if started == 0 {
        while pool.one(&sender) {}
    }
    let mut missing = work.jobs();
    let mut stopped = false;
    while missing > 0 && !(stopped && pool.lock().running.is_empty()) {
        match ended.recv_timeout(TICK) {
            Ok(one) => {
                missing -= 1;
                if !watch.ended(one) && !stopped {
                    stopped = true;
                    pool.stop();
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // Not while a sender is held here.
            Err(RecvTimeoutError::Disconnected) => break,
        }
        watch.tick();
        let Some(timeout) = limits.timeout else { continue };
        for (job, took) in pool.overdue(timeout) {
            missing -= 1;
            if !watch.ended(Ended { job, end: End::TimedOut, took }) && !stopped {
                stopped = true;
                pool.stop();
            }
            start(&pool, &sender);
        }
    }
    // What ended while the last was waited for.
    for one in ended.try_iter() {
        watch.ended(one);
    }
}

struct Pool<W> {
    work: Arc<W>,
    state: Mutex<State>,
    freed: Condvar,
}

struct State {
    next: usize,
    memory: u64,
    running: Vec<Running>,
    stopped: bool,
}

struct Running {
    job: usize,
    /// What it took of the memory: less than it needs, if that is more than all.
    memory: u64,
    since: Instant,
    ticket: Arc<Ticket>,
}

/// Starts a thread; `false` where none can be had, and those that run do its work.
fn start<W: Work>(pool: &Arc<Pool<W>>, ended: &Sender<Ended<W::Result>>) -> bool {
    let (pool, ended) = (Arc::clone(pool), ended.clone());
    // Analyses of deep tunnels and simulations are written for the usual 2 MB of a thread; the main thread has 8.
    let thread = thread::Builder::new().name(THREAD.to_owned()).stack_size(8 << 20);
    thread.spawn(move || while pool.one(&ended) {}).is_ok()
}

/// Name of the threads.
pub const THREAD: &str = "batch";

impl<W: Work> Pool<W> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for one in &state.running {
            one.ticket.cancel();
        }
        self.freed.notify_all();
    }

    /// Does the next job; `false` if there is none, or if this thread was left behind.
    fn one(&self, ended: &Sender<Ended<W::Result>>) -> bool {
        let Some((job, ticket)) = self.take() else { return false };
        let since = Instant::now();
        let result = panic::catch_unwind(AssertUnwindSafe(|| self.work.run(job, &ticket)));
        let end = match result {
            Ok(result) => End::Done(result),
            Err(panic) => End::Panicked(text(panic.as_ref())),
        };
        let mut state = self.lock();
        let Some(place) = state.running.iter().position(|running| running.job == job) else {
            return false;
        };
        // Told while the lock is held, so that nobody sees a job that neither runs nor has ended.
        let told = ended.send(Ended { job, end, took: since.elapsed() }).is_ok();
        let taken = state.running.swap_remove(place).memory;
        state.memory = state.memory.saturating_add(taken);
        drop(state);
        self.freed.notify_all();
        told
    }

    /// Waits for the memory of the next job.
    fn take(&self) -> Option<(usize, Arc<Ticket>)> {
        let mut state = self.lock();
        loop {
            if state.stopped || state.next >= self.work.jobs() {
                return None;
            }
            let need = self.work.need(state.next);
            if need <= state.memory || state.running.is_empty() {
                let job = state.next;
                state.next += 1;
                let memory = need.min(state.memory);
                state.memory -= memory;
                let ticket = Arc::new(Ticket::default());
                let since = Instant::now();
                state.running.push(Running { job, memory, since, ticket: Arc::clone(&ticket) });
                return Some((job, ticket));
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks those whose time is over to stop, and gives up those that did not.
    fn overdue(&self, timeout: Duration) -> Vec<(usize, Duration)> {
        let mut state = self.lock();
        let mut left = Vec::new();
        state.running.retain(|running| {
            let took = running.since.elapsed();
            if took > timeout {
                running.ticket.cancel();
            }
            let is_left = took > timeout + GRACE.min(timeout) && running.ticket.is_cancelled();
            if is_left {
                left.push((running.job, took));
            }
            !is_left
        });
        // Its memory stays taken: it may still use it.
        drop(state);
        self.freed.notify_all();
        left
    }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Jobs that do what they are told to.
    struct Told {
        jobs: Vec<Do>,
        used: AtomicU64,
        most: AtomicU64,
    }

    enum Do {
        Return,
        Panic,
        /// Until it is asked to stop.
        Run,
        /// For ever.
        Hang,
        Use(u64),
    }

    impl Work for Told {
        type Result = bool;

        fn jobs(&self) -> usize {
            self.jobs.len()
        }

        fn need(&self, job: usize) -> u64 {
            if let Do::Use(bytes) = self.jobs[job] { bytes } else { 0 }
        }

        fn run(&self, job: usize, ticket: &Ticket) -> bool {
            match self.jobs[job] {
                Do::Return => {}
                Do::Panic => panic!("job {job} is told to"),
                Do::Run => {
                    while !ticket.is_cancelled() {
                        thread::sleep(Duration::from_millis(1));
                    }
                }
                Do::Hang => loop {
                    thread::park();
                },
                Do::Use(bytes) => {
                    let used = self.used.fetch_add(bytes, Ordering::SeqCst) + bytes;
                    self.most.fetch_max(used, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(2));
                    self.used.fetch_sub(bytes, Ordering::SeqCst);
                }
            }
            ticket.may_commit()
        }
    }

    #[derive(Default)]
    struct Seen {
        ends: Vec<(usize, String)>,
        stop_after: Option<usize>,
    }

    impl Watch<bool> for Seen {
        fn ended(&mut self, ended: Ended<bool>) -> bool {
            self.ends.push((ended.job, format!("{:?}", ended.end)));
            self.stop_after.is_none_or(|most| self.ends.len() < most)
        }

        fn tick(&mut self) {}
    }

    fn told(jobs: Vec<Do>, limits: Limits, stop_after: Option<usize>) -> (Arc<Told>, Vec<(usize, String)>) {
        let work = Arc::new(Told { jobs, used: AtomicU64::new(0), most: AtomicU64::new(0) });
        let mut seen = Seen { stop_after, ..Seen::default() };
        run(&work, limits, &mut seen);
        seen.ends.sort();
        (work, seen.ends)
    }

    const LIMITS: Limits = Limits { jobs: 2, memory: u64::MAX, timeout: Some(Duration::from_millis(300)) };

    fn ends(jobs: Vec<Do>, limits: Limits) -> Vec<String> {
        let (_, ends) = told(jobs, limits, None);
        assert!(ends.iter().map(|end| end.0).eq(0..ends.len()), "{ends:?}");
        ends.into_iter().map(|end| end.1).collect()
    }

    #[test]
    fn a_job_above_the_bound_gives_back_what_it_took() {
        let work = Arc::new(Told {
            jobs: vec![Do::Use(100)],
            used: AtomicU64::default(),
            most: AtomicU64::default(),
        });
        let state = State { next: 0, memory: 50, running: Vec::new(), stopped: false };
        let pool = Pool { work, state: Mutex::new(state), freed: Condvar::new() };
        let (sender, _ended) = mpsc::channel();
        assert!(pool.one(&sender));
        assert_eq!(pool.lock().memory, 50);
    }

    #[test]
    fn hangs_stop_no_other_job() {
        let jobs = vec![Do::Hang, Do::Hang, Do::Run, Do::Return, Do::Return];
        assert_eq!(ends(jobs, LIMITS), ["TimedOut", "TimedOut", "Done(false)", "Done(true)", "Done(true)"]);
    }

    #[test]
    fn panics_stop_no_other_job() {
        let jobs = vec![Do::Panic, Do::Panic, Do::Return, Do::Panic];
        let panicked = |job| format!("Panicked(\"job {job} is told to\")");
        let expected = [panicked(0), panicked(1), "Done(true)".to_owned(), panicked(3)];
        assert_eq!(ends(jobs, Limits { timeout: None, ..LIMITS }), expected);
    }

    #[test]
    fn memory_is_shared_out_and_what_exceeds_it_runs_alone() {
        let limits = Limits { jobs: 8, memory: 100, timeout: None };
        let jobs = (0..40).map(|job| Do::Use(10 + job)).chain([Do::Use(1_000)]).collect();
        let (work, ends) = told(jobs, limits, None);
        assert_eq!(ends.len(), 41);
        assert_eq!(work.most.load(Ordering::SeqCst), 1_000);
        let jobs = (0..40).map(|job| Do::Use(10 + job)).collect();
        let (work, _) = told(jobs, limits, None);
        assert!((50..=100).contains(&work.most.load(Ordering::SeqCst)));
    }

    #[test]
    fn a_run_that_is_stopped_starts_no_more() {
        let jobs = (0..50).map(|job| if job < 3 { Do::Return } else { Do::Run }).collect();
        let (_, ends) = told(jobs, Limits { jobs: 1, timeout: None, ..LIMITS }, Some(3));
        // The fourth may have been running, and was asked to stop.
        assert!((3..=4).contains(&ends.len()), "{ends:?}");
        assert!(ends.iter().skip(3).all(|end| end.1 == "Done(false)"), "{ends:?}");
    }

    #[test]
    fn no_jobs_are_no_run() {
        assert!(told(Vec::new(), LIMITS, None).1.is_empty());
    }
}

//! Work on several threads whose results are taken in order, each as soon as those before it are.

use std::collections::BTreeMap;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Results for each thread that there may be at a time, being worked on and waiting for earlier ones: with one, a thread that is ahead would always wait.
pub(super) const HELD: usize = 2;

/// Calls `work` with each number below `count` on so many threads, and `take` with what it gives in the order of the numbers, up to the first error.
pub(super) fn in_turn<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> io::Result<T> + Sync,
    take: impl FnMut(T) + Send,
) -> io::Result<()> {
    let threads = threads.clamp(1, count.max(1));
    let state = State { next: 0, taken: 0, waiting: BTreeMap::new(), ended: Ok(()), take };
    let line = Line { state: Mutex::new(state), moved: Condvar::new(), count, most: HELD * threads };
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(|| line.walk(&work))).collect();
        for one in running {
            // Panics of `work` are results. One of `take` has poisoned the line.
            _ = one.join();
        }
    });
    line.state.into_inner().map_or_else(|_| Err(panicked()), |state| state.ended)
}

fn panicked() -> io::Error {
    io::Error::other("the summary panicked")
}

struct Line<T, F> {
    state: Mutex<State<T, F>>,
    moved: Condvar,
    count: usize,
    /// Results at a time.
    most: usize,
}

struct State<T, F> {
    /// The number that nobody works on yet.
    next: usize,
    /// How many were taken.
    taken: usize,
    waiting: BTreeMap<usize, io::Result<T>>,
    ended: io::Result<()>,
    take: F,
}

/// Lets the others look again, whatever becomes of this thread.
struct Wake<'a>(&'a Condvar);

impl Drop for Wake<'_> {
    fn drop(&mut self) {
        self.0.notify_all();
    }
}

impl<T, F: FnMut(T)> Line<T, F> {
    /// What each thread does; it ends where nothing is left, or something failed.
    fn walk(&self, work: impl Fn(usize) -> io::Result<T>) {
        while let Some(number) = self.next() {
            let result = panic::catch_unwind(AssertUnwindSafe(|| work(number)));
            let result = result.unwrap_or_else(|_| Err(panicked()));
            // Dropped after the guard of the state.
            let _wake = Wake(&self.moved);
            let Ok(mut state) = self.state.lock() else { return };
            state.waiting.insert(number, result);
            state.take_all();
        }
    }

    /// The number to work on, as soon as there is room for what comes of it.
    fn next(&self) -> Option<usize> {
        let state = self.state.lock().ok()?;
        let full = |state: &mut State<T, F>| {
            state.ended.is_ok() && state.next < self.count && state.next - state.taken >= self.most
        };
        let mut state = self.moved.wait_while(state, full).map_err(PoisonError::into_inner).ok()?;
        let number = state.next;
        (state.ended.is_ok() && number < self.count).then(|| {
            state.next += 1;
            number
        })
    }
}

impl<T, F: FnMut(T)> State<T, F> {
    fn take_all(&mut self) {
        while self.ended.is_ok()
            && let Some(result) = self.waiting.remove(&self.taken)
        {
            self.taken += 1;
            match result {
                Ok(one) => (self.take)(one),
                Err(error) => self.ended = Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Counts those of its kind that are there.
    struct Counted<'a>(usize, &'a AtomicUsize);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn results_come_in_order_and_few_are_there_at_a_time() {
        for threads in [1, 2, 3, 8] {
            let (there, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let mut taken = Vec::new();
            let work = |number: usize| {
                most.fetch_max(there.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // The first is the last to be done: everything else would wait for it.
                thread::sleep(Duration::from_millis(if number == 0 { 30 } else { 0 }));
                Ok(Counted(number, &there))
            };
            in_turn(100, threads, work, |one: Counted<'_>| taken.push(one.0)).unwrap();
            assert_eq!(taken, (0..100).collect::<Vec<_>>(), "{threads}");
            assert!(most.into_inner() <= HELD * threads, "{threads}");
            assert_eq!(there.into_inner(), 0);
        }
    }

    #[test]
    fn the_first_error_in_order_is_told_and_ends_it() {
        for threads in [1, 4] {
            let (done, mut taken) = (AtomicUsize::new(0), 0);
            let work = |number: usize| {
                done.fetch_add(1, Ordering::SeqCst);
                // A later one fails sooner.
                thread::sleep(Duration::from_millis(if number == 4 { 20 } else { 0 }));
                if matches!(number, 4 | 5) { Err(io::Error::other(number.to_string())) } else { Ok(()) }
            };
            let error = in_turn(1_000, threads, work, |()| taken += 1).unwrap_err();
            assert_eq!((error.to_string().as_str(), taken), ("4", 4), "{threads}");
            assert!(done.into_inner() <= 5 + HELD * threads, "{threads}");
        }
    }

    #[test]
    fn a_panic_is_an_error_and_nobody_waits_for_ever() {
        let work = |number: usize| if number == 3 { panic!("in work") } else { Ok(()) };
        assert!(in_turn(100, 2, work, |()| {}).is_err());
        assert!(in_turn(100, 4, Ok, |number| assert!(number < 2, "in take")).is_err());
    }

    #[test]
    fn nothing_is_done_where_there_is_nothing() {
        in_turn(0, 4, |_| -> io::Result<()> { unreachable!() }, |()| unreachable!()).unwrap();
    }
}

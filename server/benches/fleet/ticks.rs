//! What the monitors take for a look.

use dlo_server::config::{ExecutionsConfig, ReplayConfig};
use dlo_server::executions;
use dlo_server::fleet::{Monitor, Part};

use crate::Outcome;
use crate::stage::{SILENT_ONE_IN, Stage};
use crate::table::{Times, Wanted, head, line};

/// A look at workers of whom all are well, each after a second in which a tenth of them beat; and a
/// check of the executions, of which none is late.
pub async fn measure_quiet(stage: &Stage, rounds: usize) -> Outcome<()> {
    head("Monitors", "a look while all is well, in ms");
    let mut monitor = monitor(stage);
    let keeper = keeper(stage);
    let (mut beats, mut looks, mut checks) = (Times::default(), Times::default(), Times::default());
    for round in 0..rounds {
        stage.pass(1);
        beats.of(stage.beat(|worker| worker % 10 == round % 10)).await?;
        looks.of(monitor.look()).await?;
        // Nothing is late, since the check would fail it: see the outage.
        checks.of(executions::look(&keeper)).await?;
    }
    print("heartbeats of a tenth, together", &beats);
    print("a look at the workers", &looks);
    print("a look at the executions", &checks);
    Ok(())
}

/// A tenth of the workers fall silent, in one look; six minutes later all that they had in hand is
/// late, and so is what nobody began.
pub async fn measure_outage(stage: &Stage) -> Outcome<()> {
    head("Monitors", "a tenth of the workers die at once, in ms");
    let mut monitor = monitor(stage);
    let keeper = keeper(stage);
    let (mut looks, mut checks) = (Times::default(), Times::default());
    for second in 0..400_i32 {
        stage.pass(1);
        if second % 9 == 0 {
            stage.beat(|worker| worker % SILENT_ONE_IN != 0).await?;
        }
        looks.of(monitor.look()).await?;
        // So often does somebody look at the executions, so that he knows that he sees.
        if second % 5 == 0 {
            executions::look(&keeper).await?;
        }
    }
    print("a look at the workers", &looks);
    let mut failed = 0;
    loop {
        let some = checks.of(executions::check(&keeper)).await?;
        failed += some;
        if some == 0 {
            break;
        }
    }
    let name = format!("a step of failing {failed} executions");
    print(&name, &checks);
    Ok(())
}

fn print(name: &str, times: &Times) {
    let figures = format!("p50 {:.1} p95 {:.1}", times.percentile(50), times.percentile(95));
    let slowest = times.percentile(100);
    line(name, &figures, slowest, 1_000.0, Wanted::AtMost);
}

fn monitor(stage: &Stage) -> Monitor {
    Monitor::new(stage.pool.clone(), stage.clock.clone(), Part { hears_http: true, judges: true })
}

fn keeper(stage: &Stage) -> executions::Keeper {
    executions::Keeper {
        pool: stage.pool.clone(),
        clock: stage.clock.clone(),
        brokers: stage.brokers.clone(),
        config: ExecutionsConfig::default(),
        replay: ReplayConfig::default(),
    }
}

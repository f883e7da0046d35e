use dlo_domain::severity::Severity;
use sqlx::PgPool;

use super::*;

fn rule(name: &str, filter: &str) -> NewRule {
    NewRule {
        name: name.into(),
        filter: filter.into(),
        verdict: Verdict::Severity(Severity::Low),
        enabled: true,
    }
}

fn names(book: &Book) -> Vec<(i32, &str)> {
    let rules = book.of(RuleKind::Severity).skip(DEFAULTS);
    rules.map(|rule| (rule.position, rule.rule.name.as_str())).collect()
}

/// How many come with the product.
const DEFAULTS: usize = 5;

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_comes_with_the_product_can_be_used_and_says_whom_to_wake(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let book = book(&mut conn).await.expect("read");
    assert_eq!(book.judge().left_out(), []);
    assert_eq!(book.of(RuleKind::Severity).count(), DEFAULTS);
    assert_eq!(book.of(RuleKind::Grouping).count(), 0);
    for rule in &book.rules {
        assert!(rule.rule.checked().is_ok());
        assert_eq!(rule.changed_by, "dlo");
        let says = match rule.rule.verdict {
            Verdict::Severity(Severity::Critical) => "Wake someone",
            _ => "Tell someone now",
        };
        assert!(rule.rule.name.starts_with(says), "{}", rule.rule.name);
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn rules_are_added_behind_changed_in_place_ordered_and_removed(pool: PgPool) {
    let mut conn = pool.begin().await.expect("a transaction");
    let now = DateTime::UNIX_EPOCH;
    let before = revision(&mut conn).await.expect("read");
    let ids: Vec<RuleId> = (1..=3).map(|n| RuleId(Uuid::from_u128(n))).collect();
    for (id, name) in ids.iter().zip(["a", "b", "c"]) {
        insert(&mut conn, id.0, &rule(name, ""), "ann", now).await.expect("added");
    }
    revise(&mut conn).await.expect("revised");
    let read = book(&mut conn).await.expect("read");
    assert_eq!(read.revision, before + 1);
    assert_eq!(names(&read), [(6, "a"), (7, "b"), (8, "c")]);
    assert!(change(&mut conn, ids[1], &rule("B", "queue:x"), "bob", now).await.expect("changed"));
    let read = book(&mut conn).await.expect("read");
    assert_eq!(names(&read), [(6, "a"), (7, "B"), (8, "c")]);
    assert_eq!(read.rules[6].changed_by, "bob");
    let mut wanted: Vec<RuleId> = read.rules[..DEFAULTS].iter().map(|rule| rule.id).collect();
    wanted.extend([ids[2], ids[0], ids[1]]);
    order(&mut conn, RuleKind::Severity, &wanted).await.expect("ordered");
    let read = book(&mut conn).await.expect("read");
    assert_eq!(names(&read), [(6, "c"), (7, "a"), (8, "B")]);
    let gone = remove(&mut conn, ids[2]).await.expect("removed");
    assert_eq!(gone.as_deref(), Some("c"));
    assert_eq!(remove(&mut conn, ids[2]).await.expect("asked"), None);
    let read = book(&mut conn).await.expect("read");
    assert_eq!(names(&read), [(6, "a"), (7, "B")]);
    conn.commit().await.expect("the places are each taken once");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_rule_of_a_newer_version_is_left_out_and_the_others_are_read(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    sqlx::query("update rules set verdict = '{\"teleport\": 1}' where position = 1")
        .execute(&mut *conn)
        .await
        .expect("set");
    sqlx::query("update rules set filter = 'mood:angry' where position = 2")
        .execute(&mut *conn)
        .await
        .expect("set");
    let read = book(&mut conn).await.expect("read");
    assert_eq!(read.rules.len(), DEFAULTS - 1);
    let judge = read.judge();
    assert_eq!(judge.left_out().len(), 2);
    assert!(judge.left_out()[0].why.contains("verdict"));
    assert!(judge.left_out()[1].why.contains("mood"));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_changes_no_judgement_is_no_change_of_what_is_asked(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let before = book(&mut conn).await.expect("read");
    let id = before.rules[0].id;
    let mut renamed = before.rules[0].rule.clone();
    renamed.name = "another name".to_owned();
    change(&mut conn, id, &renamed, "ann", DateTime::UNIX_EPOCH).await.expect("changed");
    let after = book(&mut conn).await.expect("read");
    let asked = |book: &Book| format!("{:?}", book.asked(RuleKind::Severity));
    assert_eq!(asked(&before), asked(&after));
    renamed.enabled = false;
    change(&mut conn, id, &renamed, "ann", DateTime::UNIX_EPOCH).await.expect("changed");
    let after = book(&mut conn).await.expect("read");
    assert_ne!(asked(&before), asked(&after));
}

//! Code that is not the application's: runtimes, standard libraries, frameworks.

/// Packages whose frames are passed over, as the beginnings of qualified names.
const JAVA: [&str; 32] = [
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "akka.",
    "org.springframework.",
    "org.apache.",
    "org.hibernate.",
    "org.postgresql.",
    "com.mysql.",
    "com.rabbitmq.",
    "com.fasterxml.",
    "com.zaxxer.",
    "com.google.",
    "io.netty.",
    "io.grpc.",
    "io.micrometer.",
    "io.vertx.",
    "io.quarkus.",
    "io.micronaut.",
    "reactor.",
    "okhttp3.",
    "retrofit2.",
    "org.slf4j.",
    "org.aspectj.",
    "org.eclipse.",
    "net.bytebuddy.",
];

const DOTNET: [&str; 16] = [
    "System.",
    "Microsoft.",
    "MassTransit.",
    "NServiceBus.",
    "RabbitMQ.",
    "GreenPipes.",
    "Newtonsoft.",
    "Npgsql.",
    "MySql.",
    "Dapper.",
    "Polly.",
    "MediatR.",
    "Autofac.",
    "Castle.",
    "Grpc.",
    "Wolverine.",
];

const GO: [&str; 20] = [
    "runtime.",
    "runtime/",
    "panic",
    "reflect.",
    "sync.",
    "net/",
    "net.",
    "os.",
    "io.",
    "bufio.",
    "encoding/",
    "database/",
    "context.",
    "testing.",
    "time.",
    "syscall.",
    "strconv.",
    "errors.",
    "fmt.",
    "created by ",
];

const ELIXIR: [&str; 14] = [
    "stdlib",
    "elixir",
    "kernel",
    "ecto",
    "ecto_sql",
    "db_connection",
    "postgrex",
    "broadway",
    "gen_stage",
    "amqp",
    "amqp_client",
    "phoenix",
    "plug",
    "jason",
];

const RUST: [&str; 24] = [
    "std::",
    "core::",
    "alloc::",
    "tokio",
    "futures",
    "<core::",
    "<alloc::",
    "<std::",
    "<tokio",
    "rust_begin_unwind",
    "rust_panic",
    "__rust",
    "_start",
    "main",
    "start_thread",
    "clone",
    "backtrace::",
    "anyhow::",
    "hyper::",
    "tower::",
    "axum::",
    "lapin",
    "sqlx",
    "serde",
];

/// Folders that hold what others wrote.
const FOLDERS: [&str; 21] = [
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "/node_modules/",
    "node:",
    "internal/",
    "/vendor/",
    "/gems/",
    "/lib/ruby/",
    "/pkg/mod/",
    "/go/src/",
    "/deps/",
    "/rustc/",
    "/.cargo/registry/",
    "/usr/lib/",
    "<frozen",
    "<internal:",
    "bootstrap_node",
    "/erlang/",
    "/rubygems/",
    "/bundler/",
];

pub(super) fn java(name: &str) -> bool {
    starts(&JAVA, name)
}

pub(super) fn dotnet(name: &str) -> bool {
    starts(&DOTNET, name)
}

pub(super) fn go(name: &str) -> bool {
    starts(&GO, name)
}

pub(super) fn rust(name: &str) -> bool {
    starts(&RUST, name)
}

pub(super) fn elixir(app: &str) -> bool {
    ELIXIR.contains(&app)
}

pub(super) fn folder(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.contains(folder))
        // `vendor/autoload.php` where paths are relative
        || path.starts_with("vendor/")
        || path.starts_with("deps/")
}

fn starts(known: &[&str], name: &str) -> bool {
    known.iter().any(|begin| name.starts_with(begin))
}

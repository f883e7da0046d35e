//! Reads one line of a stack trace, in the nine ways in which they are written.

use super::{Language, Line, foreign};

/// Reads a line; `before` is the line before it, which some languages write the name on.
pub(super) fn read(before: &str, text: &str) -> Option<Line> {
    let line = text.trim();
    if line.is_empty() || line.len() > 2_000 {
        return None;
    }
    python(line)
        .or_else(|| at(line))
        .or_else(|| php(line))
        .or_else(|| elixir(line))
        .or_else(|| ruby(line))
        .or_else(|| rust(line))
        .or_else(|| go(before.trim(), text))
}

fn line(language: Language, place: String, in_app: bool) -> Line {
    Line { language, place, in_app }
}

/// `File "/srv/app/orders.py", line 42, in place_order`
fn python(line_text: &str) -> Option<Line> {
    let rest = line_text.strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let function = rest.split_once(", in ").map_or("<module>", |(_, name)| name);
    let place = format!("{}:{function}", tail(path));
    Some(line(Language::Python, place, !foreign::folder(path)))
}

/// `at …`: Java, .NET or Node.
fn at(text: &str) -> Option<Line> {
    let rest = text.strip_prefix("at ")?.trim();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    // Rust writes the file on a line of its own, after the name.
    if rest.starts_with(['.', '/']) && !rest.contains(['(', ' ']) && rest.contains(".rs:") {
        return None;
    }
    let Some((name, inside)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) else {
        return dotnet_in(rest).or_else(|| node_bare(rest));
    };
    let is_java = inside.rsplit_once(':').map_or(inside, |(file, _)| file);
    let ends = |ending: &str| is_java.ends_with(ending);
    let java_file = [".java", ".kt", ".scala", ".groovy", "Unknown Source", "Native Method"];
    if java_file.into_iter().any(ends) && !name.contains(' ') {
        // The loader or module stands before a slash: `app//com.acme.Orders.place`
        let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
        return Some(line(Language::Java, java_name(name), !foreign::java(name)));
    }
    let is_path =
        inside.contains(['/', '\\']) || inside.starts_with("node:") || colons(inside) >= 2;
    if is_path && !name.trim().is_empty() && !name.contains('(') {
        let place = format!("{}:{}", tail(without_position(inside)), name.trim());
        return Some(line(Language::Node, place, !foreign::folder(inside)));
    }
    dotnet_in(rest)
}

fn colons(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b':').count()
}

/// `Acme.Orders.Handler.Handle(Order order) in /src/Handler.cs:line 42`
fn dotnet_in(rest: &str) -> Option<Line> {
    let (name, _) = rest.split_once('(')?;
    let is_name = name.contains('.') && !name.contains(['/', ' ']);
    is_name.then(|| line(Language::Dotnet, dotnet_name(name), !foreign::dotnet(name)))
}

/// `at /srv/app/orders.js:12:5`
fn node_bare(rest: &str) -> Option<Line> {
    let path = rest.strip_prefix("file://").unwrap_or(rest);
    let is_path = (path.starts_with('/') || path.starts_with("node:")) && colons(path) >= 2;
    let in_app = !foreign::folder(path);
    is_path.then(|| line(Language::Node, tail(without_position(path)), in_app))
}

/// Lambdas and generated classes are numbered in the order of the source: the number is dropped.
fn java_name(name: &str) -> String {
    name.split('.').map(unnumbered).collect::<Vec<_>>().join(".")
}

fn unnumbered(part: &str) -> String {
    let mut kept: Vec<&str> = part.split('$').collect();
    while kept.len() > 1 && kept.last().is_some_and(|last| is_generated(last)) {
        kept.pop();
    }
    kept.join("$")
}

fn is_generated(part: &str) -> bool {
    part.is_empty() || part.bytes().all(|byte| byte.is_ascii_digit()) || part.contains("CGLIB")
}

/// `Handler.<Handle>d__5.MoveNext` is what the compiler makes of the async method `Handle`.
fn dotnet_name(name: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in name.split(['.', '+']) {
        let inner = part.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        match inner {
            Some((method, _)) if !method.is_empty() => parts.push(method.to_owned()),
            Some(_) => {}
            None if part == "MoveNext" && !parts.is_empty() => {}
            None => parts.push(part.split('`').next().unwrap_or(part).to_owned()),
        }
    }
    parts.join(".")
}

/// `#0 /var/www/app/Orders.php(42): Acme\Orders->place()`
fn php(text: &str) -> Option<Line> {
    let rest = text.strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (path, call) = rest.split_once("): ").or_else(|| rest.split_once("]: "))?;
    let path = path.rsplit_once('(').map_or(path, |(path, _)| path);
    let function = call.split('(').next().unwrap_or(call);
    let place = format!("{}:{function}", tail(path));
    let in_app = !foreign::folder(path) && path != "[internal function";
    Some(line(Language::Php, place, in_app))
}

/// `(orders 0.1.0) lib/orders/worker.ex:42: Orders.Worker.perform/1`
fn elixir(text: &str) -> Option<Line> {
    let (app, rest) = match text.strip_prefix('(') {
        Some(rest) => rest.split_once(") ")?,
        None => ("", text),
    };
    let (path, rest) = rest.split_once(':')?;
    if ![".ex", ".exs", ".erl"].into_iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let function = rest.split_once(": ").map_or(rest, |(_, name)| name);
    let app = app.split(' ').next().unwrap_or_default();
    let in_app = !foreign::elixir(app) && !foreign::folder(path);
    Some(line(Language::Elixir, function.to_owned(), in_app))
}

/// ``/srv/app/orders.rb:42:in `place'``
fn ruby(text: &str) -> Option<Line> {
    let text = text.strip_prefix("from ").unwrap_or(text);
    let (position, name) = text.split_once(":in ")?;
    let (path, number) = position.rsplit_once(':')?;
    number.parse::<u32>().ok()?;
    let name = name.trim_matches(['`', '\'']);
    let name = name.strip_prefix("block in ").unwrap_or(name);
    let place = format!("{}:{name}", tail(path));
    Some(line(Language::Ruby, place, !foreign::folder(path)))
}

/// `3: orders::place::h0123456789abcdef`
fn rust(text: &str) -> Option<Line> {
    let (number, name) = text.split_once(": ")?;
    number.parse::<u32>().ok()?;
    let name = name.trim();
    let name = match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 => name,
        _ => name,
    };
    name.contains("::").then(|| line(Language::Rust, name.to_owned(), !foreign::rust(name)))
}

/// The line `\t/srv/app/orders.go:42 +0x1d` after `main.place(0xc000…)`.
fn go(before: &str, text: &str) -> Option<Line> {
    let path = text.strip_prefix('\t')?.split(' ').next()?;
    let (path, number) = path.rsplit_once(':')?;
    number.parse::<u32>().ok()?;
    path.strip_suffix(".go")?;
    let name = before.rsplit_once('(').map_or(before, |(name, _)| name);
    let in_app = !foreign::go(name) && !foreign::folder(path);
    Some(line(Language::Go, name.to_owned(), in_app))
}

fn without_position(path: &str) -> &str {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut path = path;
    while let Some((rest, last)) = path.rsplit_once(':') {
        if !number(last) {
            break;
        }
        path = rest;
    }
    path
}

/// The last two parts of a path: where it is installed says nothing.
fn tail(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    match (parts.next(), parts.next()) {
        (Some(file), Some(folder)) => format!("{folder}/{file}"),
        (Some(file), None) => file.to_owned(),
        _ => String::new(),
    }
}

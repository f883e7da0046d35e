use super::*;

fn place(trace: &str) -> (Language, String) {
    let frame = top_frame(trace).expect("a frame");
    (frame.language, frame.place)
}

fn expect(trace: &str, language: Language, name: &str) {
    assert_eq!(place(trace), (language, name.to_owned()), "{trace}");
}

#[test]
fn java_names_the_cause_and_passes_over_frameworks() {
    let trace = "org.springframework.amqp.ListenerExecutionFailedException: Listener failed\n\
        \tat org.springframework.amqp.Adapter.invoke(Adapter.java:228)\n\
        \tat com.acme.orders.Listener.onMessage(Listener.java:31)\n\
        Caused by: java.lang.IllegalStateException: no stock\n\
        \tat java.base/java.util.Optional.orElseThrow(Optional.java:403)\n\
        \tat com.acme.orders.Stock.lambda$reserve$3(Stock.java:77)\n\
        \t... 12 more";
    expect(trace, Language::Java, "com.acme.orders.Stock.lambda$reserve");
    let moved = trace.replace("Stock.java:77", "Stock.java:99");
    assert_eq!(top_frame(trace), top_frame(&moved));
}

#[test]
fn dotnet_names_the_async_method() {
    let trace = "System.TimeoutException: The operation has timed out.\n   \
        at System.Threading.Tasks.Task.Wait()\n   \
        at Acme.Billing.InvoiceConsumer.<Consume>d__5.MoveNext() in C:\\src\\InvoiceConsumer.cs:line 42\n   \
        at MassTransit.Pipe.Send(Context context)";
    expect(trace, Language::Dotnet, "Acme.Billing.InvoiceConsumer.Consume");
}

#[test]
fn python_names_the_last_frame_that_is_its_own() {
    let trace = "Traceback (most recent call last):\n  \
        File \"/srv/app/worker.py\", line 10, in run\n    handle(body)\n  \
        File \"/srv/app/orders/handler.py\", line 42, in handle\n    db.execute(sql)\n  \
        File \"/usr/lib/python3.12/site-packages/sqlalchemy/engine.py\", line 9, in execute\n";
    expect(trace, Language::Python, "orders/handler.py:handle");
}

#[test]
fn node_passes_over_its_modules() {
    let trace = "TypeError: Cannot read properties of undefined (reading 'id')\n    \
        at Layer.handle (/srv/app/node_modules/express/lib/layer.js:95:5)\n    \
        at async OrderHandler.place (/srv/app/src/orders.js:12:5)\n    \
        at node:internal/process/task_queues:95:5";
    expect(trace, Language::Node, "src/orders.js:OrderHandler.place");
    expect("at /srv/app/src/jobs.js:1:2", Language::Node, "src/jobs.js");
}

#[test]
fn go_names_the_function_of_its_own_module() {
    let trace = "goroutine 1 [running]:\n\
        runtime.gopanic({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21f\n\
        acme.io/orders.(*Handler).Place(0xc0000140a8)\n\t/build/orders/handler.go:42 +0x1d\n";
    expect(trace, Language::Go, "acme.io/orders.(*Handler).Place");
}

#[test]
fn elixir_php_ruby_and_rust_are_read() {
    let elixir = "** (RuntimeError) boom\n    \
        (stdlib 5.0) gen_server.erl:1123: :gen_server.try_dispatch/4\n    \
        (orders 0.1.0) lib/orders/worker.ex:42: Orders.Worker.perform/1";
    expect(elixir, Language::Elixir, "Orders.Worker.perform/1");
    let php = "#0 /var/www/vendor/laravel/Queue.php(10): Illuminate\\Queue->pop()\n\
        #1 /var/www/app/Jobs/Charge.php(42): App\\Jobs\\Charge->handle()\n#2 {main}";
    expect(php, Language::Php, "Jobs/Charge.php:App\\Jobs\\Charge->handle");
    let ruby = "/usr/lib/ruby/gems/3.2/gems/bunny/channel.rb:7:in `basic_publish'\n\
        /srv/app/lib/orders.rb:42:in `block in place'";
    expect(ruby, Language::Ruby, "lib/orders.rb:place");
    let rust = "   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   \
        2: orders::stock::reserve::h0123456789abcdef\n             at ./src/stock.rs:42:5\n   \
        3: std::thread::local";
    expect(rust, Language::Rust, "orders::stock::reserve");
}

#[test]
fn a_trace_of_foreign_frames_only_names_the_innermost() {
    let trace =
        "at java.net.Socket.connect(Socket.java:633)\nat java.net.Socket.<init>(Socket.java:1)";
    expect(trace, Language::Java, "java.net.Socket.connect");
    assert_eq!(top_frame("nothing of the kind\nat all"), None);
}

#[test]
fn a_trace_within_a_message_is_taken_out() {
    let message = "boom\n\tat com.acme.A.b(A.java:1)\nCaused by: bang\n\tat com.acme.C.d(C.java:2)";
    assert_eq!(without_frames(message), "boom\nCaused by: bang");
}

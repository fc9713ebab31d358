# frozen_string_literal: true

require_relative "goals"
require_relative "exports"
require_relative "notify"
require_relative "spelling"
require_relative "types"

module Holdup
  module ConfigurationKeys
    # One setting. `env`: its environment variable, nil for Ruby code only; `type` checks its value;
    # `example`: for the generated initializer.
    Key = Data.define(:name, :env, :type, :default, :example, :help) do
      def initialize(name:, type:, default:, help:, example: default.inspect, env: "HOLDUP_#{name.upcase}")
        super
      end

      # @raise [ConfigurationError]
      def check(value, source: name)
        return value if (value.nil? && default.nil?) || type.valid?(value)
        raise refusal(value, source)
      end

      def read(text)
        value = type.parse(text)
        raise refusal(text, env) if value.nil?
        check(value, source: env)
      end

      private

      # What may hold a password is not repeated.
      def refusal(value, source)
        masked = type.respond_to?(:masked)
        meant = masked ? nil : Spelling.meant(value, words)
        ConfigurationError.new(key: source, value: masked ? type.masked(value) : value,
          expected: type.expected, meant:)
      end

      # @return [Array<String>] options, or values
      def words
        type.respond_to?(:choices) ? type.choices.map(&:to_s) : Spelling.options(type.expected)
      end
    end

    # Readers, environment, `holdup help`, docs and the generated initializer all come from this table.
    ALL = [
      Key.new(
        name: :enabled, type: Types::Boolean.new, default: true,
        help: "Whether Holdup measures. false costs nothing: no hook, no thread, no file."
      ),
      Key.new(
        name: :dir, type: Types::Folder.new, default: nil, example: '"/dev/shm/holdup"',
        help: "Folder of the segments, one small file for each process, on tmpfs (memory), because writing " \
          "to a disk can block a request. nil: /dev/shm/holdup-<uid>."
      ),
      Key.new(
        name: :store, type: Types::Text.new, default: nil,
        example: '"sqlite:///var/lib/holdup/holdup.sqlite3"',
        help: "Path or URL (`holdup store --help`). nil: an SQLite file in ~/.local/state/holdup."
      ),
      Key.new(
        name: :host, type: Types::Text.new(255), default: nil, example: 'ENV["POD_NAME"]',
        help: "Name of this host in the store. nil: POD_NAME or K8S_POD_NAME of the environment " \
          "(Kubernetes), else the host's name."
      ),
      Key.new(
        name: :spool, type: Types::Folder.new, default: nil, example: '"/var/lib/holdup/spool"',
        help: "Folder on a disk for what a collector could not store before it had to end, because the " \
          "store was down. A later collector with the same folder delivers it. nil: none; then segments " \
          "in the memory of a pod end with it."
      ),
      Key.new(
        name: :spool_mib, type: Types::Whole.new(1..100_000), default: 64,
        help: "Size limit of the spool in MiB. What is oldest is dropped first."
      ),
      Key.new(
        name: :app, type: Types::Text.new, default: nil, example: '"storefront"',
        help: "Name of the application; part of the setting, so that two applications never mix."
      ),
      Key.new(
        name: :revision, type: Types::Text.new, default: nil, example: 'ENV["GIT_COMMIT"]',
        help: "Revision of the application, to compare releases. nil: from the REVISION file or your " \
          "platform's variable."
      ),
      Key.new(
        name: :arm, type: Types::Text.new(60), default: nil, example: '"canary"',
        help: "Arm of an experiment that this process belongs to, for `holdup compare --by arm`: a label " \
          "of some hosts or processes. nil: no experiment."
      ),
      Key.new(
        name: :series_limit, type: Types::Whole.new(1..10_000), default: 200,
        help: "How many different names of requests and jobs a process records. Further names share one " \
          "series that says so. A name takes 25 kB of memory, and each kind of its calls too."
      ),
      Key.new(
        name: :pair_limit, type: Types::Whole.new(256..16_384), default: 1024,
        help: "How many pairs of who waited for whom at the GVL a process records, each between two names. " \
          "Further pairs are added up as others. 16 bytes each; a quarter of them is kept for others."
      ),
      Key.new(
        name: :ring_size, type: Types::Whole.new(64..1_000_000), default: 4096,
        help: "How many of the latest requests and jobs each process keeps, for the replay that sizes " \
          "threads. 112 bytes each."
      ),
      Key.new(
        name: :ignore_paths, type: Types::Paths.new, default: ["/up", "/assets/*"].freeze,
        help: "Requests that are not measured: whole paths, beginnings of paths that end in *, or Regexps."
      ),
      Key.new(
        name: :name, env: nil, type: Types::Code.new, default: nil,
        example: '->(env) { "GraphQL" if env["PATH_INFO"] == "/graphql" }',
        help: "Names requests: gets the Rack env when the request ends; nil leaves the name to Holdup. " \
          "Never put ids into names."
      ),
      Key.new(
        name: :example_paths, type: Types::Boolean.new, default: false, example: "true",
        help: "Whether a path of each endpoint is kept (the first of a GET that went well, without its " \
          "query, of at most 120 bytes of printable ASCII), so that `holdup lab sweep --recorded` can " \
          "ask it again. Paths may hold ids and secrets."
      ),
      Key.new(
        name: :open_units, type: Types::Switches.new(%i[path].freeze), default: {path: true}.freeze,
        example: "{path: false}",
        help: "What is shown of requests that still run: with path, those without a name yet have the " \
          "first segment of their path, if it is a word (GET /orders, else GET /:id), and without it only " \
          "their method. Never a query, never an id."
      ),
      Key.new(
        name: :queue_header, type: Types::Header.new, default: "X-Request-Start",
        help: "Header in which your proxy says when it received the request (seconds, ms, us or ns since " \
          "1970, with or without t=). X-Queue-Start is read when it is missing."
      ),
      Key.new(
        name: :calls, type: Types::Subset.new(%i[sql cache redis memcached http push search subprocess]),
        default: %i[sql cache redis memcached http push search subprocess].freeze,
        help: "Which calls to other systems are measured. Each is split into the wait for the answer, the " \
          "wait for the GVL, GC and Ruby: sql (Active Record), cache (Active Support), redis " \
          "(redis-client, redis 4), memcached (Dalli), http (Net::HTTP, Excon, HTTPX), push (of jobs: " \
          "Active Job, Sidekiq), search (Elasticsearch, OpenSearch), subprocess (system, backticks, Open3, " \
          "Process.wait). []: none. In the environment: sql,http, or off."
      ),
      Key.new(
        name: :repeated_queries, type: Types::Whole.new(0..10_000), default: 0, example: "10",
        help: "Reports an N+1 when a request or job makes the same Active Record query this many times, " \
          "with the line that makes them. Queries are the same when they differ only in values; their text " \
          "is not kept. 0: never."
      ),
      Key.new(
        name: :hold_sample, type: Types::Milliseconds.new(1..1000), default: 10,
        help: "Notes the method of a thread that has held the GVL for this many milliseconds while others " \
          "wait, and again every 10 ms, for `holdup report --table methods`. 0 or off: never."
      ),
      Key.new(
        name: :watch_objects, type: Types::Boolean.new, default: true,
        help: "Now and then the objects of a request or job are followed until garbage collection frees " \
          "them, to find those that make the memory grow (`holdup report --table memory`). The pauses " \
          "between are long enough for some 0.5 % of the time."
      ),
      Key.new(
        name: :on_finish, env: nil, type: Types::Callback.new, default: nil,
        example: "->(figures) { StatsD.distribution(\"gvl\", figures.stalled) }",
        help: "Is called after each request and job, outside of its measured time, with its figures " \
          "(`holdup docs current`). It runs on the thread of the request or job. What it raises is logged " \
          "and never reaches the application. nil: nothing is called."
      ),
      Key.new(
        name: :on_finish_sample, type: Types::Share.new, default: 1.0, example: "0.1",
        help: "For which share of the requests and jobs on_finish is called, drawn at random."
      ),
      Key.new(
        name: :add_figures_to,
        type: Types::Subset.new(
          %i[rails_log lograge semantic_logger mini_profiler sidekiq_log notifications rails_event].freeze
        ),
        default: [].freeze, example: "%i[rails_log sidekiq_log]",
        help: "Which log lines and events get the figures of each request and job (`holdup docs current`). " \
          "rails_log: the line \"Completed 200 OK in ...\"; lograge; semantic_logger: " \
          "rails_semantic_logger; mini_profiler: the page of rack-mini-profiler; sidekiq_log: the line at " \
          "a job's end; notifications: the event finish.holdup of Active Support; rails_event: the event " \
          "holdup.request or holdup.job of Rails 8.1 and later. []: none. In the environment: " \
          "rails_log,sidekiq_log, or off."
      ),
      Key.new(
        name: :server_timing, type: Types::Choice.new(%i[development always off].freeze),
        default: :development, example: ":always",
        help: "Where responses have the header Server-Timing, in which browsers show for how long the " \
          "request waited for the GVL and for IO, and used the CPU. development: in Rails' development " \
          "environment; always: everywhere; off: nowhere."
      ),
      Key.new(
        name: :backlog, type: Types::Boolean.new, default: true,
        help: "Whether a job runner's process asks how many jobs wait in its queues, and how long the " \
          "oldest has. Sidekiq's asks Redis, one round trip with each heartbeat, every ten seconds. Every " \
          "30 seconds, Solid Queue's, GoodJob's, Delayed Job's and Que's ask their database for at most " \
          "10,000 jobs of each queue, and Resque's asks Redis."
      ),
      Key.new(
        name: :tick_seconds, type: Types::Seconds.new(0.05..5), default: 1,
        help: "How often a process writes its gauges and its threads' times. Requests and jobs are " \
          "always written when they end."
      ),
      Key.new(
        name: :jit, type: Types::Jit.new, default: nil, example: ":on",
        help: "YJIT: :on switches it on in each process that takes requests or jobs, once the application " \
          "is loaded; nil leaves it alone. A Hash switches it on with mem_size (MiB), call_threshold, or " \
          "stats: :quiet (deep statistics in a tenth of the processes, stats_share of them). With :off, " \
          "doctor reports who switches it on. In the environment: on, off, or " \
          "mem_size=64,call_threshold=31."
      ),
      Key.new(
        name: :live_threads, type: Types::Whole.new(0..1000), default: 0, example: "8",
        help: "Most threads that an experiment may give a running Puma 8. The database pool needs as many " \
          "connections. With 0 experiments change no threads."
      ),
      Key.new(
        name: :autopilot, type: Types::Autopilot.new, default: nil,
        example: '{slo: {p95: "300ms"}, threads: 1..8}',
        help: "Lets the collector try other threads in a running Puma 8, or processes in a cluster of any " \
          "Puma, and keep them where an experiment proves them better. The first number counts until then, " \
          "and returns when requests miss the SLO or nobody renews it. A Hash says what may be set: slo (a " \
          "percentile and its time), threads, processes (a range), changes_per_day (2), errors (share that " \
          "may fail, 0.05). nil: off. In the environment: p95=300ms threads=1..8 changes_per_day=2, or off."
      ),
      Key.new(
        name: :collector, type: Types::Choice.new(%i[process thread off]), default: :process,
        help: "What carries segments to the store: a process next to the server, a thread in it " \
          "(development), or off when you run `holdup collect` yourself."
      ),
      Key.new(
        name: :stats_log, type: Types::StatsLog.new, default: nil,
        example: "{to: :stdout, every: 60, workers: 1}",
        help: "One JSON line for each process and interval with its requests or jobs, times, CPU, memory " \
          "and JIT: to :stdout, :stderr, a path or a Logger. Further lines when it boots, enables a JIT, " \
          "is warm, has its JIT's memory full, exits. A Hash says more: every (seconds), format (:json, " \
          ":emf), sample (share of the lines), workers (how many of a server), namespace (for :emf). nil: " \
          "none. In the environment: stdout, a path, off, or to=stdout,every=60."
      ),
      Key.new(
        name: :prometheus, type: Types::PROMETHEUS, default: nil, example: "9395",
        help: "Port at which the collector serves Prometheus (http://127.0.0.1:9395/metrics), or :web to " \
          "serve /metrics only under Holdup::Web, which always has it. A Hash says more: port, bind (an " \
          "address), series (how many label sets, 200), labels (of app, role, kind, name, queue, host, " \
          "revision, arm), pairs (true: who waited for whom at the GVL, the 50 strongest). Needs the gem " \
          "prometheus-client. nil: nothing. In the environment: 9395, web, " \
          "off, or port=9395,bind=0.0.0.0,series=500,labels=app name."
      ),
      Key.new(
        name: :opentelemetry, type: Types::OPEN_TELEMETRY, default: nil, example: ":on",
        help: "Sends metrics over OTLP/HTTP from the collector to a URL; :on means to where the OTEL_* " \
          "variables say, or http://localhost:4318. A Hash says more: endpoint, interval (seconds, 60), " \
          "semconv (false: own names instead of http.server.request.duration and " \
          "messaging.process.duration), series, labels and pairs as for prometheus. Needs the gem " \
          "opentelemetry-exporter-otlp-metrics, and a collector in a process of its own. nil: nothing. In " \
          "the environment: on, off, a URL, or endpoint=http://otel:4318,interval=30."
      ),
      Key.new(
        name: :statsd, type: Types::STATSD, default: nil, example: '"udp://127.0.0.1:8125"',
        help: "Sends metrics from the collector to a DogStatsD or StatsD server at udp://HOST:PORT or " \
          "unix:///PATH; :on means to where the DD_* variables say, or udp://127.0.0.1:8125. A Hash says " \
          "more: address, format (:dogstatsd needs the gem dogstatsd-ruby, :statsd has no tags), interval " \
          "(seconds, 10), series, labels and pairs as for prometheus. nil: nothing. In the environment: " \
          "on, off, " \
          "an address, or address=udp://127.0.0.1:8125,format=statsd."
      ),
      Key.new(
        name: :scaling, type: Types::Scaling.new, default: nil, example: '"p95=300ms"',
        help: "SLO of requests, such as p95=300ms. The collector publishes load / capacity at this SLO for " \
          "autoscalers: in /metrics, and as scale.json at the same port and under Holdup::Web. A Hash says " \
          "more: slo, within (seconds in which waiting jobs are to begin, 300). nil: no signal. In the " \
          "environment: p95=300ms, off, or slo=p95=300ms,within=300."
      ),
      Key.new(
        name: :keep_advice, type: Types::Boolean.new, default: false, example: "true",
        help: "Whether the collector computes advice (of 24 hours and 30 days) before somebody asks, and " \
          "keeps it in the store: `holdup advise --since 24h` and the dashboard then answer at once. For " \
          "one collector of a fleet, with a CPU and 500 MB to spare for ten seconds now and then."
      ),
      Key.new(
        name: :notify, type: Types::Notify.new, default: nil,
        example: '{slack: "https://hooks.slack.com/services/...", stall: 0.25}',
        help: "Sends a message when requests and jobs wait for the GVL for long, the report names another " \
          "cause, a process dies, the SLO of scaling is broken, the autopilot acts, or a collector or the " \
          "store fails, and a digest each week: one message for a whole fleet (`holdup docs notify`). " \
          "Channels: webhook, slack, teams, discord, pagerduty (a URL each), command (a path), log (true); " \
          "with collector = :thread also rails_error (true) and block (called with each message). " \
          "A Hash says more: rules (some of these), stall (share of the elapsed time, 0.25), " \
          "quiet (\"22:00-07:00\"), digest (\"monday 09:00\"). nil: none. In the environment: " \
          "slack=https://...,stall=0.3,quiet=22:00-07:00, or off."
      ),
      Key.new(
        name: :web_url, type: Types::WebUrl.new, default: nil, example: '"https://shop.example/holdup"',
        help: "Where the dashboard is, so that notices can link to it."
      ),
      Key.new(
        name: :prices, type: Types::PriceList.new, default: nil, example: "{vcpu: 0.04, gb: 0.005}",
        help: "Prices of an hour of a vCPU and of a GiB of memory, in any currency. `holdup advise --slo " \
          "p95=300ms` (with HOLDUP_PRICES in its environment) and, with the SLO of scaling, the dashboard " \
          "then name the cheapest fleet that keeps it. nil: no prices. In the environment: " \
          "vcpu=0.04,gb=0.005."
      ),
      Key.new(
        name: :capture, type: Types::CaptureRule.new, default: nil,
        example: '{stall: "50 ms", only: "GET /orders"}',
        help: "Captures, thread by thread, what led to the first request or job that waited for the GVL " \
          "(stall) or took (wall) longer than a time in us, ms or s, or \"p99 x 2\" of its own endpoint. A " \
          "Hash says more: only (an endpoint; its start before a *), every (seconds between two, 60), " \
          "warm_up (seconds after a process's first request, 120), events, stacks. nil: only captures " \
          "that a user asks for. In the environment: stall > 50 ms, or with options wall > p99 x 2, " \
          "only=GET /orders."
      ),
      Key.new(
        name: :capture_sampler, type: Types::Choice.new(%i[auto holdup]), default: :auto, example: ":holdup",
        help: "What takes stacks of running threads in captures of limited length: vernier where the " \
          "application has loaded it and nothing else profiles (auto), or Holdup itself (holdup), as in " \
          "all others."
      ),
      Key.new(
        name: :web_auth, type: Types::WebAuth.new, default: nil,
        example: '->(env) { env["warden"]&.user&.admin? }',
        help: "Who may see the dashboard (Holdup::Web): a username with a password, something that " \
          "answers call(env), or :none for everybody, if your own authentication comes first. nil: " \
          "everybody in development and tests, and no one in production. In the environment: " \
          "user:password, or none."
      ),
      Key.new(
        name: :web_capture, type: Types::Boolean.new, default: false, example: "true",
        help: "Whether the dashboard may ask processes for captures."
      ),
      Key.new(
        name: :log, type: Types::Target.new, default: $stderr, example: "Rails.logger",
        help: "Where Holdup logs problems: an IO, a Logger or the absolute path of a file or pipe; " \
          "File::NULL for nothing. What can't be written there goes to the standard error. In the " \
          "environment: stderr, stdout, off or a path."
      )
    ].freeze
  end
end

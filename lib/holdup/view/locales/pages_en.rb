# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of the dashboard that no report has.
      PAGES_EN = {
        language_en: "English", language_ja: "日本語", languages: "Language", themes: "Colours", theme_auto: "Auto", theme_light: "Light", theme_dark: "Dark",
        skip: "Skip to the figures", menu: "Pages", menu_open: "Pages", title_message: "Not shown",
        title_overview: "Overview", title_endpoints: "Endpoints", title_jobs: "Jobs", title_endpoint: "One endpoint or job", title_blame: "Blame",
        title_processes: "Processes", title_advice: "Advice", title_calculator: "Calculator", title_compare: "Compare", title_jit: "JIT", title_health: "Health",

        span_label: "Span and filter", span_since: "Since", span_until: "Until", span_app: "Application", span_name: "Name", span_least: "Units, at least", span_kind: "Kind", any: "all", show: "Show",
        span_more: "Filter", span_other: "Period", span_15m: "15m", span_1h: "1h", span_6h: "6h", span_24h: "24h", span_7d: "7d", span_30d: "30d",
        table_region: "%<title>s (scrolls sideways)",
        behind: "No measurements since %<time>s (%<ago>s ago).",
        last_data: "Last data: %<span>s.", last_data_open: "Show it",
        unmatched_kind: "No %<asked>s were measured in this span.", unmatched_queue: "No job of this span is of the queue \"%<asked>s\".",
        unmatched_name: "No request or job of this span is called \"%<asked>s\".", unmatched_threads: "Nothing in this span ran with %<asked>s {asked:thread|threads}.",
        unmatched_nearest: "Did you mean one of these? %<names>s.", unmatched_known: "There were: %<names>s.",
        newest: "The newest figures are %<age>s old.",
        newest_waiting: "The newest figures are %<age>s old. Requests and jobs that have ended since and wait for the next round of the collector: %<count>s.",
        empty_next: "Is the application running under a server that is supported, and has it had a minute? Choose a longer span above, or look at Health: it says what is missing.",
        exports: "This page as", export_json: "JSON", export_csv: "CSV", export_md: "Markdown",

        units_note: "suffered: its own stall; each: of one unit; per acq.: of one time that a unit took the GVL (acq.: how often it did). " \
          "caused: what others stalled while it held the GVL. hold max: its longest hold. que. p95: until a thread took it.",
        meaning: "meaning", sufferers: "Who suffered most", all_blame: "Everybody's blame", all_endpoints: "All of them", stands_out: "What stands out", jit_findings: "What rules say of the JIT",
        of_time: "% of time", rate_column: "per s", p50: "p50", p95: "p95", p99: "p99", more_rows_here: "... and %<count>s more; a larger limit shows them (limit=500 in the address, --limit of a command).",
        each_of_them: "One by one", spread: "How elapsed times are spread", stalled_by: "Who stalls it", stalls: "Whom it stalls",
        no_samples: "There are no samples of processes in this span: the collector takes one a minute, and keeps them for 48 hours.",
        ceiling_fine: "%<vcpus>s, %<processes>s: CPU can reach %<range>s.",

        compare_with: "What is compared: this span with an earlier one, or two settings, arms or revisions in it", field_base_since: "earlier one: since", field_base_until: "until",
        chosen_for_you: "the last two",
        nothing_to_compare: "There is nothing to compare in this span: it has fewer than two settings. Choose a longer span, or give an earlier one.",

        field_io: "io share of a unit", field_running: "or: holds the GVL for", field_idle: "and waits for io for", field_acquisitions: "takes the GVL so often", calculate_button: "Calculate", by_threads: "By the number of threads",

        what_if_title: "What would be with something else?", what_if_button: "Replay it", field_if_load: "load", field_if_vcpus: "vCPUs of a host", field_if_threads: "threads of a process",
        field_if_processes: "processes of a host", field_if_slice: "time slice", limits_title: "What no setting may exceed", limit_vcpus: "vCPUs of a host", limit_memory: "memory of a host",
        limit_pool: "database pool of a process", limit_connections: "database connections", limit_hosts: "hosts",

        trace: "trace",
        slowest_units: "The slowest, one by one", started: "started", in_flight: "in flight",
        no_singles: "None of it is kept singly in this span: the collector keeps a sample of 900 requests and jobs in ten minutes, for 14 days.",
        no_singles_seen: "None of it is among those that are kept singly in %<read>s of %<all>s periods of ten minutes, spread over this span. Choose a shorter span to look at all of them.",
        singles_part: "Read were %<read>s of %<all>s periods of ten minutes, spread over this span: a shorter one shows all of its own.",
        singles_note: "Of %<count>s that are kept singly, %<span>s, a sample of about %<units>s: there may have been slower ones. In flight: requests and jobs in the same process while it ran, itself included, on average.",
        changed_when: "What changed when", changed_since: "since", changed_what: "what", deployed: "deployed",
        no_jit_samples: "No process has told of its JIT in this span: the collector takes a sample a minute, and keeps them for 48 hours.",
        life_lead: "%<on>s of %<all>s {all:process|processes} {on:has|have} a JIT.", life_column: "JIT", life_by: "switched on by", life_for: "for", life_warm: "warm after", life_effective: "works",
        life_memory: "memory", life_full: "full", life_thrown: "thrown away", yes: "yes", no: "no", not_known: "not known", server: "server",
        life_note: "warm after: until hardly anything new was compiled. works: compiled code ran in a test at the start. memory: what the JIT adds to the process. full: nothing more is compiled. thrown away: times that compiled code became invalid.",
        store_title: "Store", store_location: "place", store_bytes: "size", store_series: "names", store_schema: "schema", store_oldest_s: "oldest", store_newest_s: "newest", store_lag: "behind by",
        own_title: "What Holdup itself took in the last hour", own_held_share: "GVL held by its threads, of a process's time", own_caused_ns: "stall of others meanwhile, in all",
        own_collector_cpu_share: "CPU of the collector, of one core", own_collector_bytes: "memory of the collector", own_segment_bytes: "memory of the segments",
        own_note: "What measuring adds to each unit is within the unit's own time and can't be told from it: docs/overhead.md has what it is, bin/bench measures it.",
        segments_title: "Measured processes of this host", segment_alive: "alive", segment_last: "last sign", segment_requests: "requests", segment_drops: "not recorded",
        segments_note: "not recorded: units beyond the limit of names, thrown away or without room, and failures of Holdup itself.",

        refused_closed: "The dashboard is closed in production until somebody says who may see it. Set config.web_auth (or HOLDUP_WEB_AUTH=user:password); " \
          ":none opens it where something of yours stands before it. See docs/dashboard.md.",
        refused_credentials: "The dashboard needs the name and password of config.web_auth.",
        refused_person: "config.web_auth does not let you in.",
        refused_host: "The dashboard does not answer to this host name. Open it by the address that `holdup web` prints.",
        refused_site: "A page of another site may not send anything here.",
        refused_method: "The dashboard only shows: it takes GET and HEAD.",
        wait_advice: "The recording is being replayed on other settings. The advice appears here by itself.",
        wait_compare: "Both sides are being compared. The comparison appears here by itself.",
        wait_progress: "Progress", wait_refresh: "Look again", wait_ready: "The page is complete.",
        step_reading: "Reading the recording.", step_comparing: "Reading both sides and computing intervals.",
        step_counting: "Checking the recording (%<units>s {units:request or job|requests and jobs}).",
        step_replaying: "Replaying the recording (%<units>s {units:request or job|requests and jobs}) on %<settings>s {settings:setting|settings}.",
        wait_first: "%<elapsed>s so far. How long it takes depends on the recording; mostly it is 5 to 20 s.",
        wait_again: "%<elapsed>s so far. The last time it took %<expected>s.",
        wait_ahead: "Waiting for its turn. Questions that come first: %<ahead>s.", wait_rest: "About %<rest>s are left.",
        wait_full: "Too many questions are waiting already. This one has not been begun; the page asks again by itself.",
        refused_nowhere: "There is no such page. The menu above has all of them.",
        refused_question: "The address asks for something that can't be shown.", refused_now: "This can't be shown now.",
        refused_failure: "The dashboard failed (%<error>s). The application is not affected; its log has more. Please report it."
      }.freeze
    end
  end
end

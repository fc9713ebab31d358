# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/collector_checkpoint"

class Holdup::Doctor::ChecksTest < Minitest::Test
  NOW_S = 1_790_000_000
  COUNTERS = {units: 500, caused_ns: 6_000_000_000, handoff_ns: 4_000_000_000,
              stalled_ns: 10_000_000_000}.freeze
  SOUND = {ruby: "ruby 3.4.5", unsupported: nil, clock_source: "counter", dir: "/dev/shm/holdup-1",
           dir_state: :ok, tmpfs: true,
           refused: [], collector: true, store: {location: "/s.sqlite3", bytes: 1_500_000, schema: 1,
                                                 newest_s: NOW_S - 60},
           store_problem: nil, now_ns: NOW_S * 1_000_000_000}.freeze

  def process(**facts)
    Holdup::Doctor::Checks::Host::HostProcess.new(pid: 7, alive: true, closed: false,
      heartbeat_ns: (NOW_S - 1) * 1_000_000_000,
      setting: {"jit" => "yjit"}, counters: COUNTERS, requests: 500, queued: 500, **facts)
  end

  def host(segments: [process], **facts)
    Holdup::Doctor::Checks::Host.new(**SOUND, segments:, **facts)
  end

  def findings(...) = Holdup::Doctor::Checks.call(host(...))

  def machine(vcpus: 2.0)
    Holdup::Analysis::Machine.new(host: "h", trail: nil, members: [], vcpus:)
  end

  def alarm(autoscale_target, machines: [machine], **facts)
    [Holdup::Doctor::ScalingChecks::Autoscale.call(host(machines:, autoscale_target:, **facts))].flatten
  end

  def captures(*states)
    Holdup::Doctor::SegmentChecks::RuleCaptures.call(host(segments: states.map { |state, share|
      process(
        profile: {"capture.rule" => "stall > 50 ms",
                  "capture.state" => state}, ring_share: share
      )
    }))
  end

  def test_what_the_collector_says_does_not_work
    found = troubles(troubles: {store: "the disk is full", spool: "x", capture: "y", unknown: "z"})
    assert_equal({collector_failing: :fail, spool_waiting: :warn, capture_lost: :warn}, found)
    problem = Holdup::Error.new("no store", "make one")
    refute_includes troubles(troubles: {store: "no store"}, store: nil, store_problem: problem),
      :collector_failing
  end

  # The key and level of what is not fine.
  def troubles(...)
    findings(...).reject(&:ok?).to_h { |finding| [finding.key, finding.level] }
  end

  def test_a_sound_host
    assert_empty troubles
    assert_equal %i[ruby clock_counter folder segments server collector store books jit queue no_anomalies],
      findings.map(&:key)
  end

  def test_names_several_applications
    apps = %w[shop shop admin].map { |app| [Holdup::Setting.new(attributes: {"app" => app}), 1] }
    applications = Holdup::Analysis::ApplicationShares.of(apps)
    found = findings(applications:).find { |finding| finding.key == :applications }
    assert_equal [:ok, "shop 67 %, admin 33 %"], [found.level, found.facts[:apps]]
    assert_equal %i[store books],
      findings(applications: Holdup::Analysis::ApplicationShares.of(apps.first(2))).map(&:key)[6, 2]
  end

  def test_rows_that_were_left_out_are_named
    rows = [[:window, "日本語"], [:series, "A#b"], [:stored, "B"], [:checkpoint, "1-2.segment"],
      *Array.new(5) { |index| [:path, "P#{index}"] }].map do |kind, name|
      Holdup::SkippedRow.new(at_s: NOW_S, host: "h", kind:, name:, reason: "refused", count: 2)
    end
    found = Holdup::Doctor::StoreChecks::SkippedRows.call(host(skipped: rows))
    assert_equal({skipped_rows: 14, skipped_stored: 2, skipped_checkpoint: 2},
      found.to_h { |finding| [finding.key, finding.facts[:count]] })
    assert_equal "window 日本語 (2), series A#b (2), path P0 (2), path P1 (2), path P2 (2), +2",
      found.first.facts[:names]
    assert_equal [:warn], found.map(&:level).uniq
  end

  def test_how_far_away_redis_is
    near, far = [900_000, 25_000_000].map { |redis_rtt_ns|
      findings(segments: [process,
        process(gauges: {redis_rtt_ns:})]).find { |finding| finding.key.start_with?("redis") }
    }
    assert_equal [:ok, :redis], [near.level, near.key]
    assert_equal [:warn, :redis_slow, {rtt: 25.0, jobs: 40}], [far.level, far.key, far.facts]
    assert_empty troubles(segments: [process, process(alive: false, gauges: {redis_rtt_ns: 25_000_000})])
  end

  def test_a_ruby_without_the_extension
    assert_equal({unsupported: :fail}, troubles(unsupported: "no extension", clock_source: nil))
  end

  def test_the_folder
    assert_equal({folder_missing: :warn, collector_idle: :warn},
      troubles(segments: [], dir_state: :missing, collector: false))
    assert_equal({folder_unreadable: :fail}, troubles(segments: [], dir_state: :unreadable))
    %i[foreign unwritable unmakeable].each do |state|
      found = troubles(segments: [], dir_state: state, collector: false)
      assert_equal :fail, found[:"folder_#{state}"], state
    end
    assert_equal({folder_unwritable: :fail}, troubles(dir_state: :unwritable))
    assert_equal({folder_on_disk: :warn}, troubles(tmpfs: false))
    assert_empty troubles(tmpfs: nil)
  end

  def test_nothing_measures
    assert_equal({segments_none: :warn}, troubles(segments: []))
    assert_equal({segments_none: :warn}, troubles(segments: [process(alive: false)]))
  end

  def test_servers_and_their_levers
    profile = {"server" => "puma", "pool.0" => "web", "lever.threads.value" => 5,
               "lever.threads.live" => true, "lever.threads.write" => "threads 5, 5",
               "lever.threads.where" => "config/puma.rb:3", "lever.preload.value" => false,
               "lever.preload.live" => false, "lever.preload.how" => "puma_preload"}
    workers = [1, 0].map { |worker| process(worker:, profile:) }
    shown = findings(segments: [*workers, process(profile: {"server" => "sidekiq"})]).select { |finding|
      finding.key.start_with?("server", "lever")
    }
    assert_equal %i[server_workers lever_where_live lever server], shown.map(&:key)
    assert_equal({server: "puma", processes: 2, workers: "0, 1"}, shown[0].facts)
    assert_equal ["threads", 5, "threads 5, 5", "config/puma.rb:3"],
      shown[1].facts.values_at(:name, :value, :write, :where)
    assert_equal ["sidekiq", 1], shown[3].facts.values_at(:server, :processes)
  end

  def server(pid, measures: false, loaded: true, age_s: 3600, name: "puma", dir: nil)
    servers = Holdup::Doctor::Reader::RunningServers
    servers::RunningServer.new(pid:, name:, age_s:, loaded:, measures:, dir:)
  end

  def unmeasured(*servers)
    Holdup::Doctor::ServerChecks::UnmeasuredServers.call(host(servers:)).map { |finding|
      [finding.level,
        finding.key, finding.facts]
    }
  end

  def test_finds_nothing_about_servers_that_measure
    assert_empty unmeasured(server(7), server(8, measures: true, dir: SOUND[:dir]), server(9, measures: true))
  end

  def test_names_servers_that_are_not_measured
    assert_equal [[:warn, :unmeasured_loaded, {server: "puma", pids: "11, 12"}]],
      unmeasured(server(12), server(11))
    assert_equal [[:warn, :unmeasured_without, {server: "sidekiq", pids: "13"}]],
      unmeasured(server(13, name: "sidekiq", loaded: false))
    assert_equal [[:warn, :unmeasured_starting, {server: "puma", pids: "14"}]],
      unmeasured(server(14, age_s: 3, loaded: false))
  end

  def test_names_the_folder_of_servers_that_measure_elsewhere
    assert_equal [[:ok, :measured_elsewhere, {dir: "/dev/shm/x", server: "puma", pids: "15"}]],
      unmeasured(server(15, measures: true, dir: "/dev/shm/x"))
  end

  def test_names_variables_that_no_setting_has
    here = Holdup::Doctor::ServerChecks::EnvironmentVariables.call(host(variables: %w[HOLDUP_TYPO],
      segments: [process(profile: {"variables.unknown" => "HOLDUP_ENABLE HOLDUP_TYPO"})]))
    assert_equal [[:variable_mistyped, {name: "HOLDUP_ENABLE", nearest: "HOLDUP_ENABLED"}],
      [:variable_unknown, {name: "HOLDUP_TYPO"}]],
      here.map { |finding| [finding.key, finding.facts] }
    assert_empty Holdup::Doctor::ServerChecks::EnvironmentVariables.call(host)
  end

  def test_names_methods_of_libraries_that_could_not_be_hooked
    unhooked = {"unhooked" => "Net::HTTP#request Redis::Client#process"}
    here = Holdup::Doctor::ServerChecks::UnhookedMethods.call(host(segments: [
      process(pid: 8, profile: unhooked), process(pid: 7, profile: unhooked), process(pid: 9)
    ]))
    facts = {methods: "Net::HTTP#request, Redis::Client#process", pids: "7, 8"}
    assert_equal [:unhooked], here.map(&:key)
    assert_equal :warn, here.first.level
    assert_equal facts, here.first.facts
  end

  def test_files_that_are_no_segments
    assert_equal({segment_refused: :warn}, troubles(refused: ["/x has layout 9"]))
  end

  def test_a_collector_that_has_not_had_the_time_to_start
    young = process(born_ns: (NOW_S - 3) * 1_000_000_000)
    assert_equal({collector_starting: :warn}, troubles(segments: [young], collector: false))
    assert_equal({collector_none: :fail}, troubles(segments: [young, process], collector: false))
  end

  def test_names_a_process_that_makes_no_progress
    old = process(heartbeat_ns: (NOW_S - 300) * 1_000_000_000)
    assert_equal({heartbeat: :warn}, troubles(segments: [old]))
    finding = findings(segments: [old, process(pid: 8, heartbeat_ns: (NOW_S - 7200) * 1_000_000_000)])
      .find { |one| one.key == :heartbeat }
    said = {"en" => "Processes 7, 8 have not ticked for 2 h: their gauges",
            "ja" => "プロセス 7, 8 は 2 時間前から更新されていません"}
    said.each do |language, sentence|
      text = Holdup::View::CheckSentence.call(Holdup::View::Words.new(language), finding.key,
        finding.facts)
      assert_includes text, sentence
    end
    assert_empty troubles(segments: [process, process(pid: 8, alive: false, heartbeat_ns: 0)])
  end

  def test_the_collector
    assert_equal({collector_none: :fail}, troubles(collector: false))
  end

  def test_the_store
    assert_equal({store_problem: :fail},
      troubles(store: nil, store_problem: Holdup::Error.new("it is damaged")))
    locked = Holdup::StoreError::Locked.new(location: "s", seconds: 1)
    assert_equal({store_locked: :fail}, troubles(store: nil, store_problem: locked))
    assert_equal({store_empty: :warn}, troubles(store: SOUND[:store].merge(newest_s: nil)))
    assert_equal({store_old: :warn}, troubles(store: SOUND[:store].merge(newest_s: NOW_S - 3600)))
  end

  def books(*counters)
    segments = counters.map { |changed| process(counters: COUNTERS.merge(changed)) }
    [Holdup::Doctor::ProbeChecks::StallIdentity.call(host(segments:))].flatten
  end

  def test_books_that_do_not_balance
    off = books({stalled_ns: 8_000_000_000}, {}).first
    assert_equal [:warn, :books_gap, {pids: "7", percent: "20.00"}], [off.level, off.key, off.facts]
    assert_equal({pids: "7", percent: "-25.00"}, books({caused_ns: 3_500_000_000}).first.facts)
  end

  def test_books_that_balance
    assert_equal [[:ok, :books]],
      books({}, {stalled_ns: 10_009_000_000}).map { |finding| [finding.level, finding.key] }
  end

  # What can't be of one tick weighs most where there is little.
  def test_books_of_a_young_process_are_not_judged_by_what_goes_on
    assert_equal [:books],
      books({caused_ns: 20_000_000, handoff_ns: 1_000_000, stalled_ns: 60_000_000}).map(&:key)
  end

  def test_books_of_a_program_that_does_not_sum_up_what_was_caused_are_left
    assert_empty books({caused_ns: 0})
  end

  def test_what_the_setting_tells
    assert_equal({jit_off: :warn}, troubles(segments: [process(setting: {"jit" => "off"})]))
    assert_equal({mn_threads: :warn},
      troubles(segments: [process(setting: {"jit" => "yjit", "mn_threads" => true})]))
    assert_includes findings(segments: [process(setting: {"jit" => "yjit", "fibers" => true})]).map(&:key),
      :fibers
    refute_includes findings.map(&:key), :fibers
  end

  def test_development_needs_no_jit_no_proxy_and_no_second_process
    setting = {"jit" => "off", "environment" => "development"}
    local = process(setting:, queued: 0)
    assert_empty troubles(segments: [local], machines: [machine])
    production = process(setting: setting.merge("environment" => "production"), queued: 0)
    assert_equal %i[jit_off queue_unknown ceiling],
      troubles(segments: [local, production], machines: [machine]).keys
  end

  def test_queue_time_without_a_header
    assert_equal({queue_unknown: :warn}, troubles(segments: [process(queued: 0)]))
    assert_empty troubles(segments: [process(queued: 0, requests: 3)])
  end

  def test_no_sentence_sends_its_reader_to_the_doctor
    Holdup::View::Words::LANGUAGES.each do |language, table|
      said = table.select { |key, _| key.start_with?("doctor_") }
      to_itself = said.select { |_, text| text.to_s.include?("`holdup doctor`") }
      assert_empty to_itself.keys, language
    end
  end

  def test_a_queue_header_that_is_too_coarse
    seconds = process(queued: 0, profile: {"queue.step_ms" => 1_000, "queue.header" => "X-Request-Start"})
    found = findings(segments: [seconds]).find { |finding| finding.key == :queue_in_seconds }
    assert_equal [:warn, {header: "X-Request-Start"}], [found&.level, found&.facts]
    tenths = process(queued: 0, profile: {"queue.step_ms" => 100, "queue.header" => "X-Begin"})
    assert_equal({queue_in_steps: :warn}, troubles(segments: [tenths, process(queued: 0)]))
  end

  def test_whether_a_cpu_alarm_can_fire
    assert_equal %i[autoscale_never scale_on_queued],
      alarm(60, signals: {queued_p95_ns: 12_340_000}).map(&:key)
    assert_equal({p95_ns: 12_340_000, queued_ns: 24_680_000},
      alarm(60, signals: {queued_p95_ns: 12_340_000}).last.facts)
    assert_equal({host: "h", vcpus: "2", processes: 1, range: "50-55 %", needed: 2, target: "60 %"},
      alarm(60).first.facts)
    assert_equal %i[autoscale_unsure scale_on_busy], alarm(52, signals: {busy: 3.5, threads: 5.0}).map(&:key)
    assert_equal %i[autoscale_never scale_on_backlog], alarm(60, signals: {backlog: 2.0}).map(&:key)
    assert_equal %i[autoscale_never scale_on_unknown], alarm(60).map(&:key)
    assert_equal [:autoscale_fires], alarm(45).map(&:key)
    assert_equal [:autoscale_unknown], alarm(60, machines: []).map(&:key)
  end

  def test_vcpus_that_are_never_used
    assert_equal({ceiling: :warn}, troubles(machines: [machine]))
    assert_empty troubles(machines: [machine(vcpus: 1.5)])
    assert_empty troubles(machines: [machine(vcpus: nil)])
  end

  def test_reports_every_anomaly
    counters = Holdup::Doctor::ProbeChecks::Anomalies::COUNTERS.to_h { |name| [name, 2] }
    assert_equal counters.keys, troubles(segments: [process(counters:)]).keys
    assert_equal({series_overflow: :warn}, troubles(segments: [process(counters: {overflowed: 4})]))
    assert_equal({thread_names: :warn}, troubles(segments: [process(counters: {unaccounted: 4})]))
  end

  def killers(**facts)
    profile = {"server" => "puma", "killer.name" => "puma_worker_killer",
               "killer.server" => "puma"}.merge(facts.to_h { |name, value| ["killer.#{name}", value] })
    Holdup::Doctor::ServerChecks::MemoryKillers.call(host(segments: [process(profile:),
      process(pid: 9, profile:)])).map { |finding| [finding.key, finding.facts] }
  end

  def test_names_what_ends_processes
    who = {name: "puma_worker_killer", pids: "7, 9"}
    assert_equal [[:killer_all, {megabytes: 531.5, **who}], [:killer_every, {minutes: 360, **who}]],
      killers(of: "all", limit_bytes: 531_502_202, every_s: 21_600)
    assert_equal [[:killer, {megabytes: 300.0, **who}], [:killer_units, {units: 3072, **who}]],
      killers(of: "process", limit_bytes: 300_000_000, units: 3072)
    assert_equal [[:killer_every_seconds, {seconds: 20, **who}]], killers(every_s: 20)
    assert_equal [[:killer_every_seconds, {seconds: 90, **who}]], killers(every_s: 90)
    assert_empty killers(server: "unicorn", of: "process", limit_bytes: 5)
  end

  def test_every_finding_has_its_words_and_its_remedy
    tables = Holdup::View::Words::LANGUAGES
    keys = Dir[File.expand_path("../../../../lib/holdup/features/*/*_checks.rb", __dir__)].flat_map { |file|
      File.read(file).scan(/CheckResult\.(ok|warn|fail)\(:(\w+)/)
    }
    keys.concat(Holdup::Doctor::ProbeChecks::Anomalies::COUNTERS.map { |name| ["warn", name.to_s] })
    assert_operator keys.size, :>, 30
    tables.each_value do |table|
      keys.each do |level, key|
        assert table.key?(:"doctor_#{key}"), key
        assert table.key?(:"doctor_#{key}_fix"), "#{key} has no remedy" unless level == "ok"
      end
    end
  end

  def test_the_alarm_in_words
    signals = {queued_p95_ns: 12_340_000}
    report = text(alarm(60, signals:)).gsub(/\s+/, " ")
    assert_includes report,
      "warn The CPU alarm at 60 % never fires: host h (vCPUs: 2, Ruby processes: 1) reaches 50-55 % at most"
    assert_includes report, "-> Scale on the signal named next, or start 2 processes."
    assert_includes report,
      "ok Scale on queue time: above 24.7 ms at p95 (in the last hour it was 12.3 ms)."
  end

  def test_the_lines_fit_and_say_how_it_stands
    sick = findings(collector: false, refused: ["/dev/shm/x\e[1m is not a segment"],
      segments: [process(counters: {clock_backward: 3}, queued: 0)])
    %w[en ja].each do |language|
      report = text(sick, words: Holdup::View::Words.new(language))
      refute_includes report, "\e"
      report.each_line(chomp: true) { |line| assert_operator Holdup::View::Width.of(line), :<=, 80, line }
    end
    report = text(sick)
    assert_match(/^FAIL  No collector is running/, report)
    assert_match(/^      -> Run `holdup collect`/, report)
    assert_match(/^1 failed, 3 warnings, \d fine\.$/, report)
    assert_includes text(findings), "All is well."
  end

  def test_a_screen_begins_with_the_summary_and_the_worst
    sick = troubled
    lead, checks, = Holdup::Doctor::Report.new(sick).page(sick.size - 1).blocks
    assert_match(/\A1 failed, 3 warnings, \d fine\.\z/, lead.text)
    assert_equal %i[fail warn warn warn], checks.items.map(&:level).first(4)
    assert_equal sick.size, checks.items.size
  end

  def test_a_screen_keeps_problems_longest_and_counts_what_it_leaves_out
    sick = troubled
    problems, sound = sick.partition { |finding| !finding.ok? }
    assert_equal problems.size + 1, shown(sick, problems.size).size
    assert_includes screen(sick, problems.size),
      "#{sound.size - 1} more checks found nothing wrong; `holdup doctor --full` lists them."
    assert_equal [:fail], shown(sick, 0)
    assert_includes screen(sick, 0), "3 more checks found something wrong; `holdup doctor --full` lists them."
    refute_includes text(sick), "--full"
  end

  one_ruby def test_a_screen_of_many_long_problems_fits
    many = troubled.reject(&:ok?).flat_map { |finding| [finding] * 9 }
    %w[en ja].each do |language|
      report = Holdup::Doctor::Report.new(many, words: Holdup::View::Words.new(language))
      console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"COLUMNS" => "80"},
        clock: nil)
      assert_operator Holdup::CLI::Formats.screen(report, console:).lines.size, :<=, 39
    end
  end

  # One check has failed, three warn.
  def troubled
    findings(collector: false, refused: ["/dev/shm/x is not a segment"],
      segments: [process(counters: {clock_backward: 3}, queued: 0)])
  end

  def shown(findings, kept)
    Holdup::Doctor::Report.new(findings).page(kept).blocks[1].items.map(&:level)
  end

  def screen(findings, kept)
    Holdup::View::Text.new(Holdup::Doctor::Report.new(findings).page(kept)).call.gsub(/\s+/, " ")
  end

  def text(findings, **options)
    Holdup::View::Text.new(Holdup::Doctor::Report.new(findings, **options).page).call
  end

  def test_what_processes_wait_for_to_capture
    assert_empty Holdup::Doctor::SegmentChecks::RuleCaptures.call(host)
    waits = captures(["waits", 0.0002], ["waits", 0.0012], ["rests", nil]).first
    assert_equal [:ok, :capture_rule, "stall > 50 ms", 2, 3, "0.12 %"],
      [waits.level, waits.key, *waits.facts.values_at(:rule, :waiting, :processes, :cost)]
    assert_equal [%i[warn capture_no_memory], %i[warn capture_no_room]],
      captures(["no memory"], ["no room"]).map { |finding| [finding.level, finding.key] }
  end
end

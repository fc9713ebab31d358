# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "nokogiri"
require "sqlite3"
require_relative "../../../support/burst_store"
require_relative "../../../support/played_advice"

class Holdup::Advise::RecommendCommandTest < Minitest::Test
  include PlayedAdvice

  # For the tests that ask for more than the usual advice.
  def advise_coarsely(...)
    size_coarsely { advise(...) }
  end

  def test_verdict_table_and_the_line_to_change
    said = advise("--save", kept = File.join(folder, "advice.json"))
    assert_equal [0, ""], [said.status, said.err]
    assert_equal usual, JSON.parse(File.read(kept))
    text = said.out.gsub(/\s+/, " ")
    assert_match(/CHANGE processes x threads of each host to 2 x 5 \(now 1 x 5\): [\d.]+ % better/, text)
    assert_match(/self-test grade A/, text)
    assert_match(/^1 x 5 \* /, said.out)
    assert_match(/^2 x 5 <- /, said.out)
    assert_match(/^1 x 1 .* peak$/, said.out)
    assert_match(/In config\/puma.rb:14 \(then restart\): - workers 1 \+ workers 2/, text)
    assert_match(/Add --since 20\S+Z --until 20\S+Z --store \S+ to the commands in brackets/, text)
    assert_match(/Amdahl's law gives \d+ threads/, text)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  # @return [String] that a kept advice begins with, without spaces
  def age(language)
    Holdup::View::Words.new(language).call(:advice_kept, age: "1 s", took: "1 s").gsub(/\s/, "")
  end

  def test_what_was_kept_says_the_same
    with_kept_advice do |ask|
      4.times { assert_equal [0, ""], ask.call("--keep").to_h.values_at(:status, :err) }
      out = "#{folder}/advice.html"
      %w[en ja].product([%w[--full], %w[--markdown], ["--html", "--out", out]]).each do |language, form|
        kept, fresh = [[], ["--fresh"]].map { |how|
          said = ask.call("--since", "24h", "--lang", language, *form, *how)
          (form.include?(out) ? File.read(out) : said.out).gsub(/[\s\\]/, "")
        }
        assert_equal 1, kept.scan(age(language)).size, [language, form]
        assert_equal fresh, kept.sub(/<pclass="about">#{age(language)}<\/p>|-?#{age(language)}/, ""),
          [language, form]
      end
      %w[24h 30d].each do |since|
        kept, fresh = [[], ["--fresh"]].map { |how| ask.call("--since", since, "--json", *how).out }
        assert_equal fresh, kept
      end
    end
  end

  # Where a screen is full, other lines make room.
  def test_a_screen_says_how_old_it_is
    with_kept_advice do |ask|
      ask.call("--keep")
      %w[en ja].each do |language|
        kept, fresh = [[], ["--fresh"]].map { |how|
          ask.call("--since", "24h", "--lang", language, *how).out.lines
        }
        assert_equal age(language), (kept - fresh).join.gsub(/\s/, "")
        assert_operator kept.size, :<=, 39
      end
    end
  end

  def test_only_the_question_that_was_kept_is_answered_with_it
    with_kept_advice do |ask|
      ask.call("--keep")
      others = [%w[--load x1.1], %w[--slo p99], %w[--memory 4G], %w[--host web-1], %w[--warm-up 60s],
        %w[--prices vcpu=1,gb=1]].map { |options| ["--since", "24h", *options] }
      [%w[--since 23h], *others].each do |options|
        refute_includes ask.call(*options).out, "kept in the store;", options
      end
      [%w[--since 1d], %w[--since 24h --limit 5]].each do |options|
        assert_includes ask.call(*options).out.gsub(/\s+/, " "), "kept in the store;", options
      end
      late = ask.call("--since", "24h", now_s: PLAYED.to_s + 3457)
      refute_includes late.out, "kept in the store;"
    end
  end

  # @return [String] on one screen
  def screen(*arguments, width: 80)
    PLAYED.in_a_file do |path|
      share_sizing(PLAYED) do
        env = {"COLUMNS" => width.to_s}
        holdup("advise", "--store", path, "--since", "1h", *arguments, now_s: PLAYED.to_s, env:).out
      end
    end
  end

  one_ruby def test_one_screen_has_both_settings_the_diff_its_risk_and_how_to_verify
    text = screen
    assert_match(/^CHANGE processes x threads of each host to 2 x 5/, text)
    assert_match(/^ +now: 1 x 5 +replayed +advised: 2 x 5\nmost per second +([\d.]+) +\1 +1\d\d$/, text)
    assert_match(/^- Confidence: .*self-test grade A/, text)
    assert_match(/^1\. Run 2 processes .*^ +- workers 1\n +\+ workers 2\n +risk +Each process/m, text)
    assert_match(/^  # keep this prediction\n  holdup advise --save advice\.json .*--since 1h/, text)
    assert_match(/^  holdup advise --verify advice\.json/, text)
    refute_includes text, "Self-test"
  end

  def test_the_screen_of_advice_to_keep_asks_for_more_load
    text = size_coarsely { screen("--memory", "350M") }
    assert_match(/^KEEP 1 x 5/, text)
    assert_match(/^  # does it serve half more load\?\n  holdup whatif --load x1\.5 /, text)
    assert_match(/^breaks the limit +memory/, text)
    assert_operator text.lines.size, :<=, 39, text
  end

  one_ruby def test_the_screen_fits_a_terminal_in_both_languages
    %w[en ja].product([80, 120, 200]).each do |language, width|
      text = screen("--lang", language, width:)
      assert_operator text.lines.size, :<=, 39, text
      assert_operator text.lines.map { |line| Holdup::View::Width.of(line.chomp) }.max, :<=, width
    end
  end

  # All of them are of the first seconds of their process: too little for an advice, and yet they were
  # measured.
  def test_shows_the_load_of_a_few_seconds_without_a_verdict
    path = File.join(folder, "store.sqlite3")
    BurstStore.new(BurstStore::Burst.new(from_s: 10, to_s: 17.6, count: 900, kind: :job,
      born_s: 5)).open(url: path).close
    said = %w[advise report].to_h { |command|
      [command,
        holdup(
          command,
          "--store",
          path,
          "--since",
          "1d",
          "--kind",
          "job",
          now_s: BurstStore::START_S + 3600
        ).out.gsub(
          /\s+/, " "
        )]
    }
    beginning = /\AAdvice for jobs, .*: 900 jobs in 7\.60 s, 11\d\/s Can't size yet: /
    ending = /100 % of the requests or jobs came soon after a boot of their process, .* ask again\./
    assert_match(/#{beginning}#{ending}/, said["advise"])
    assert_match(/900 jobs in 7\.60 s, 11\d per second, 0 errors/, said["report"])
    refute_match(/lower bound/, said["report"])
  end

  def test_limits_that_the_user_names
    text = advise_coarsely("--memory", "350M", "--db-connections", "12", "--slo", "p99=2s").out.gsub(/\s+/,
      " ")
    assert_match(/KEEP 1 x 5/, text)
    assert_match(/ memory( |\z)/, text)
  end

  def test_json_and_markdown
    said = usual
    assert_equal %w[change better medium], said.values_at("verdict", "why", "confidence")
    assert_equal({"processes" => 2, "threads" => 5}, said["best"].slice("processes", "threads"))
    assert_operator said["gain_interval"].first, :>, 0
    assert(said["candidates"].any? { |candidate|
      candidate["guards"].any? { |guard| guard["name"] == "stability" }
    })
    assert_equal "process_count", said["findings"].first["rule"]
    assert_equal(
      {"new" => "workers 2", "old" => "workers 1", "where" => "config/puma.rb:14",
       "how" => "restart", "facts" => {}}, said["findings"].first["change"]
    )
    markdown = advise("--markdown").out
    assert_match(/^\| 2 x 5 \\<- \|/, markdown)
    assert_match(/^  ```diff\n  - workers 1\n  \+ workers 2\n  ```$/, markdown)
  end

  def asked(*arguments)
    JSON.parse(advise_coarsely("--json", *arguments).out)
  end

  def self.usual = @usual ||= yield

  # @return [String] JSON, without any option, once for all
  def written
    self.class.usual { advise("--json").out }
  end

  def usual = JSON.parse(written)

  one_ruby def test_what_is_better_is_what_one_asks_for
    cost = asked("--objective", "cost")
    assert_equal [["change", 2], ["keep", 1]],
      [usual, cost].map { |said| [said["verdict"], said["best"]["processes"]] }
  end

  one_ruby def test_another_load_on_another_machine
    more = asked("--load", "x1.3", "--vcpus", "4", "--objective", "balanced")
    assert_in_delta 1.3, more["peak_per_second"] / usual["peak_per_second"], 1e-3
    assert_operator more["current"]["utilisation"], :>, 1.2 * usual["current"]["utilisation"]
    five = more["candidates"].select { |one| one["threads"] == 5 && one["response_ns"].any? }
    assert_equal [1, 2, 3, 4], five.map { |one| one["processes"] }
    # A further process has to bring a tenth: the one with the least response times 1.1 for each, so not the
    # last.
    assert_operator more["best"]["processes"], :<, 4
    assert_operator more["best"]["processes"], :>, 1
  end

  one_ruby def test_in_japanese
    said = advise("--lang", "ja")
    assert_match(/変更：各ホスト/, said.out)
    assert_operator said.out.lines.map { |line| Holdup::View::Width.of(line.chomp) }.max, :<=, 80
  end

  one_ruby def test_jobs
    recording = PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 20.0,
      minutes: 20, threads: 3)
    text = advise_coarsely("--kind", "job", played: PlayedStore.new(recording)).out.gsub(/\s+/, " ")
    assert_match(/CHANGE .* to 1 x 1\d \(now 1 x 3\)/, text)
  end

  # Two capsules: it sizes the one that takes the queue, and shows the throughput of both.
  one_ruby def test_pools_that_share_a_process
    played = PlayedStore.new(PlayedRecording.capsules)
    said = advise_coarsely("--queue", "reports", played:).out
    assert_match(/CHANGE .* to 1 x \(1\+3\) \(now 1 x \(2\+3\)\)/, said.gsub(/\s+/, " "))
    assert_match(/^reports +2 -> 1 +[\d.]+ -> [\d.]+ .*\nmail +3 /, said)
    assert_operator said.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  # Two job runners with queues of their own have two settings: without the queue that can't be answered.
  one_ruby def test_jobs_of_one_queue
    runners = {"low" => [3, 45], "mailers" => [10, 4]}.map do |queue, (threads, idle)|
      recording = PlayedRecording.new(kind: :job, shapes: {"#{queue.capitalize}Job" => [1.0, 5, idle, 6]},
        rate: 15.0, minutes: 5, threads:, queue:)
      PlayedStore.new(recording, facts: {"job_queues" => queue}, pid: threads)
    end
    runners.first.in_a_file(runners.last) do |path|
      ask = lambda do |*arguments|
        size_coarsely {
          holdup("advise", "--store", path, "--since", "1h", "--full", *arguments, now_s: runners.first.to_s)
        }
      end
      assert_match(/\(now 1 x 3\)/, ask.call("--queue", "low").out.gsub(/\s+/, " "))
      assert_match(/Can't size yet/, ask.call("--kind", "job").out)
      said = ask.call("--queue", "mialers")
      assert_equal 2, said.status
      assert_match(/no job of queue "mialers" was recorded.*did you mean mailers\?/m, said.err)
      assert_match(/--queue is for jobs/, ask.call("--queue", "low", "--kind", "request").err)
    end
  end

  # So few units of each application that none is replayed: only the choice of units is tested.
  def test_one_of_several_applications
    shop, admin = {"shop" => 4, "admin" => 6}.map { |app, minutes|
      PlayedStore.new(PlayedRecording.new(minutes:, rate: 0.16, swing: 0.0), facts: {"app" => app},
        pid: minutes)
    }
    shop.in_a_file(admin) do |path|
      ask = ->(*arguments) {
        said = holdup("advise", "--store", path, "--since", "1h", "--full", *arguments, now_s: admin.to_s)
        said.out.gsub(/\s+/, " ")
      }
      beginning = /Can't size yet: the span has several applications\. Choose one with --app\. .*Choose one: /
      ending = /--app admin/
      assert_match(/#{beginning}#{ending}/, ask.call)
      sentence = /Why: not enough data yet: \d\d requests or jobs in 4 minutes/
      assert_match(sentence, ask.call("--app", "shop"))
      assert_equal "admin", JSON.parse(ask.call("--app", "admin", "--json"))["app"]
    end
  end

  def test_says_why_it_can_not_advise
    assert_match(/Can't size yet: no jobs were recorded in this span\. For requests add --kind request\./,
      advise("--kind", "job").out.gsub(/\s+/, " "))
    fibers = PlayedStore.new(PlayedRecording.new(minutes: 6), facts: {"fibers" => true})
    assert_match(/the application ran on fibers/, advise(played: fibers).out.gsub(/\s+/, " "))
  end

  def recorded(minutes: 12, **options)
    PlayedStore.new(PlayedRecording.new(minutes:), **options)
  end

  def said(*others, played:, options: [])
    now_s = [played, *others].map(&:to_s).max
    said = played.in_a_file(*others) do |path|
      size_coarsely { holdup("advise", "--store", path, "--since", "1h", "--full", *options, now_s:) }
    end
    said.out.gsub(/\s+/, " ")
  end

  # Everything recorded under 1 x 5, then the advised 2 x 5 under another load: the prediction is for that
  # load.
  one_ruby def test_verifies_a_saved_advice_with_later_measurements
    later = PlayedStore.new(PlayedRecording.new(minutes: 12, processes: 2, rate: 32.0, seed: 5),
      from_s: PLAYED.to_s)
    PLAYED.in_a_file(later) do |path|
      File.write("#{path}.json", written)
      said = verify(path, now_s: later.to_s)
      assert_equal [0, ""], [said.status, said.err]
      assert_match(/^KEPT: prediction and measurement/, said.out)
      assert_match(/^response, p95 +\d+.* ms +\d+.* ms +\d+.* ms +[+-]\d/, said.out)
      assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
      assert_match(/^  Stored: later advice for this application is corrected/, said.out)
      assert_equal [[2, 5, later.to_s]], outcomes(path).map { |one| [one.processes, one.threads, one.at_s] }
      again = locked(path) { verify(path, "--json", now_s: later.to_s + 1) }
      assert_equal 0, again.status
      beginning = /\Aholdup: the result was not stored for later advice: the store .* /
      ending = /is locked by another process.*\n\z/
      assert_match(/#{beginning}#{ending}/, again.err)
      assert_equal [later.to_s], outcomes(path).map(&:at_s)
      stored, lines = JSON.parse(again.out).values_at("stored", "lines")
      refute stored
      lines.each { |line| assert_in_delta 0, line["error"], 0.1, line["name"] }
      assert_match(%r{no requests ran on the advised setting \(2 x 5/100 ms\) since, only on: none},
        verify(path).err)
    end
  end

  def verify(path, *arguments, now_s: PLAYED.to_s)
    size_coarsely { holdup("advise", "--store", path, "--verify", "#{path}.json", *arguments, now_s:) }
  end

  def outcomes(path)
    Holdup::Store.open(path, read_only: true).then { |store| store.outcomes.tap { store.close } }
  end

  # Another one writes, and does not end.
  def locked(path)
    SQLite3::Database.new(path) do |other|
      other.transaction(:immediate)
      break yield.tap { other.rollback }
    end
  end

  # The advice is to keep the setting. Verifying judges another setting that ran since, even if the span has
  # the old one too.
  one_ruby def test_another_setting_is_tried_where_all_is_to_stay
    later = PlayedStore.new(PlayedRecording.new(minutes: 12, threads: 3, seed: 5), from_s: PLAYED.to_s)
    PLAYED.in_a_file(later) do |path|
      advice = "#{path}.json"
      kept = size_coarsely do
        holdup("advise", "--store", path, "--since", "1h", "--json", "--memory", "350M", now_s: PLAYED.to_s)
      end
      File.write(advice, kept.out)
      assert_equal "keep", JSON.parse(File.read(advice))["verdict"]
      judged = ->(since, now_s) {
        JSON.parse(verify(path, "--json", "--since", since, now_s:).out).values_at("processes", "threads")
      }
      assert_equal [1, 3], judged.call("1h", later.to_s)
      assert_equal [1, 5], judged.call("1h", PLAYED.to_s)
    end
  end

  # A shorter time slice is a setting of its own, and the one of before is not taken for it.
  one_ruby def test_the_advised_time_slice_is_waited_for
    PLAYED.in_a_file do |path|
      advice = "#{path}.json"
      said = JSON.parse(written)
      File.write(advice,
        JSON.generate(said.merge("best" => said["current"].merge("time_slice_ns" => 10_000_000))))
      assert_match(%r{no requests ran on the advised setting \(1 x 5/10 ms\) since, only on: 1 x 5/100 ms},
        verify(path, "--since", "1h").err)
    end
  end

  def test_a_changed_setting
    later = PlayedStore.new(PlayedRecording.new(minutes: 4, threads: 3), from_s: PLAYED.to_s)
    text = said(later, played: PLAYED)
    assert_match(/Can't size yet: the span has several settings/, text)
    assert_match(/They differ in: threads=5, threads=3/, text)
  end

  def test_a_warm_up_phase
    boot = recorded(minutes: 3, booted_s: PlayedStore::START_S - 5)
    sentence = /Can't size yet: \d+\.\d % of the requests or jobs came soon after a boot/
    assert_match(sentence, said(played: boot, options: %w[--warm-up 120s]))
    text = said(played: recorded(minutes: 2, booted_s: PlayedStore::START_S - 5))
    assert_match(/Can't size yet: \d+\.\d % of the requests or jobs came soon after a boot/, text)
    refute_match(/The recording is short/, text)
  end

  def test_forty_requests
    few = PlayedStore.new(PlayedRecording.new(minutes: 4, rate: 0.16, swing: 0.0))
    refused = /Can't size yet: only \d\d requests or jobs are recorded so far \(in 4 minutes\)/
    recorded = /Why: not enough data yet: \d\d requests or jobs in 4 minutes so far /
    precision = /\(precision: time with the GVL \+-[\d.]+ %, /
    missing = /Missing: at least 400 requests or jobs, two hours that include the peak/
    amdahl = /Amdahl's law gives \d+ threads/
    assert_match(/#{refused}.*#{recorded}#{precision}.* #{missing}.*#{amdahl}/, said(played: few))
  end

  def test_one_file_for_a_browser
    few = PlayedStore.new(PlayedRecording.new(minutes: 4, rate: 0.16, swing: 0.0))
    page = Nokogiri::HTML5(advise("--html", "--lang", "ja", played: few).out, max_errors: 5)
    assert_empty page.errors.map(&:to_s)
    assert_match(/リクエストへのアドバイス/, page.at_css("h1").text)
    assert_match(/まだ判断できません.*400[[:space:]]件/m, page.at_css(".lead").text)
    assert_match(/vCPU 数/, page.at_css("dl.facts").text)
  end

  one_ruby def test_a_saturated_cpu
    assert_match(/Warning: For 23\.1 % of the time that a thread held the GVL, it had no CPU/,
      said(played: recorded(held_per_cpu: 1.3)))
  end

  one_ruby def test_an_application_that_waits_for_its_pool
    FileUtils.mkdir_p("#{folder}/config")
    File.write("#{folder}/config/database.yml", "default:\n  pool: <%= ENV.fetch(\"DB_POOL\") { 3 } %>\n")
    text = Dir.chdir(folder) { said(played: recorded(pool_share: 0.2, facts: {"db_pool" => 3})) }
    assert_match(/Warning: Waits for database connections took 20\.0 % of the elapsed time/, text)
    beginning = /In config\/database.yml:2 \(then restart; where DB_POOL is set, that counts\): - pool: /
    ending = /<%= ENV.fetch\("DB_POOL"\) { 3 } %> \+ pool: <%= ENV.fetch\("DB_POOL"\) { 5 } %>/
    assert_match(/#{beginning}#{ending}/, text)
  end
end

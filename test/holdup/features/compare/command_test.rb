# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/configuration"
require "holdup/agent/setting_facts"
require "json"
require "nokogiri"

class Holdup::Compare::CommandTest < Minitest::Test
  include CommandLine

  SHOP = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 30, blame: 1, error_every: 7},
          "B#slow" => {ms: {cpu: 40, stalled: 8, io: 60}, acquisitions: 9, units: 10, blame: 2,
                       error_every: 3}}.freeze
  HALF = SHOP.transform_values { |shape| shape.merge(ms: shape[:ms].merge(cpu: shape[:ms][:cpu] / 2)) }
  FACTS = SampleWindows::SETTING.merge("revision" => "aaa111")
  MINUTES = 12
  LATER_S = 3600
  NOW_S = SampleWindows::START_S + LATER_S + MINUTES * 60
  SPANS = ["--before", "73m..60m", "--after", "13m.."].freeze

  def setup
    super
    @before = SampleWindows.new(units: SHOP, minutes: MINUTES, setting: FACTS)
    @after = SampleWindows.new(units: HALF, minutes: MINUTES, seed: 2,
      setting: FACTS.merge("jit" => "none", "revision" => "bbb222"))
  end

  def compare(*arguments, env: {})
    windows = @before.to_a + @after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      holdup("compare", "--full", "--store", path, *arguments, env:, now_s: NOW_S)
    end
  end

  def test_two_times_with_the_verdict_first
    said = compare(*SPANS, env: {"COLUMNS" => "80"})
    assert_equal [0, ""], [said.status, said.err]
    sentence = /\A.*requests\nbefore: .*\nafter: .*\n\nBetter: .*CPU\s+per\s+request\s+or\s+job\s+-\d\d/
    assert_match(sentence, said.out)
    assert_match(/2 things differ \(jit, revision\)/, said.out.gsub(/\s+/, " "))
    assert_match(/^CPU per request or job .* better$/, said.out)
    assert_match(/6 and 6 blocks of 2 min\. .*only about 80 % of such intervals contained the true value/,
      said.out.gsub(/\s+/, " "))
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_without_a_question_it_compares_around_the_last_change
    assert_equal compare("--before", "72m..60m", "--after", "12m..").out, compare.out
    assert_equal compare("--before", "66m..60m", "--after", "12m..6m").out, compare("--until", "6m").out
    unchanged = compare("--since", "30m")
    assert_equal [2, ""], [unchanged.status, unchanged.out]
    assert_match(/compare needs two sides, because no setting changed in .*; give --before/, unchanged.err)
  end

  one_ruby def test_one_screen_with_the_verdict_the_settings_and_the_main_figures
    windows = @before.to_a + @after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      screen = ->(*more) { holdup("compare", "--store", path, *SPANS, *more, now_s: NOW_S).out }
      assert_match(/\A.*requests\nbefore: .*\nafter: .*\n\nBetter: /, screen.call)
      assert_match(/^jit +yjit +none$/, screen.call)
      assert_match(/^CPU per request or job .* better$/, screen.call)
      assert_match(/^B#slow /, screen.call)
      assert_match(/^What to do next\n(  # .*\n)?  holdup report --full .*--name 'B#slow'/m, screen.call)
      %w[en ja].each { |language| assert_operator screen.call("--lang", language).lines.size, :<=, 39 }
      assert_operator screen.call("--full").lines.size, :>, screen.call.lines.size
      assert_equal screen.call("--full", "--json"), screen.call("--json")
    end
  end

  one_ruby def test_the_screen_fits_whatever_the_names_and_the_facts
    name = "Admin::Reporting::Quarterly::RevenueRecognitionExceptionsController#全テナントの再計算"
    sides = [5, 8].each_with_index.map do |cpu, side|
      units = Array.new(8) { |index| ["#{name}#{index}", {**SHOP.values.first, ms: {cpu: cpu + index}}] }.to_h
      facts = Array.new(12) { |index| ["option_#{index}", "値#{side} " * 30] }.to_h
      SampleWindows.new(units:, minutes: MINUTES, setting: FACTS.merge(facts)).to_a
    end
    windows = sides.first + sides.last.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      [%w[en 80], %w[ja 80], %w[ja 120], %w[en 200]].each do |language, columns|
        text = holdup("compare", "--store", path, *SPANS, "--lang", language, env: {"COLUMNS" => columns},
          now_s: NOW_S).out
        assert_operator text.lines.size, :<=, 39, text
        widest = text.lines.map { |line| Holdup::View::Width.of(line.chomp) }.max
        assert_operator widest, :<=, columns.to_i, text
      end
    end
  end

  def test_one_of_several_applications
    both = {"shop" => SHOP, "admin" => HALF}.flat_map { |app, units|
      SampleWindows.new(units:, minutes: MINUTES, setting: FACTS.merge("app" => app)).to_a
    }
    windows = both + both.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      said = ->(*arguments) {
        holdup("compare", "--full", "--store", path, *arguments, now_s: NOW_S).out.gsub(/\s+/, " ")
      }
      assert_match(/These figures mix requests and jobs of 2 applications \(shop 50 %, admin 50 %\)/,
        said.call(*SPANS))
      refute_match(/of 2 applications/, said.call(*SPANS, "--app", "admin") + said.call("--by", "app"))
    end
  end

  PLACE = "app/models/slow.rb:9 Slow#rows | Array#sort_by"

  # @param ms [Integer] that a method caused in each minute
  def sampled(sample, ms)
    Array.new(MINUTES) do |minute|
      sample.window("B#slow", kind: :method, queue: PLACE, start_s: sample.from_s + 60 * minute, count: 4,
        sums: {caused_ns: (ms + minute % 2) * 1_000_000}, setting: sample.to_a.first.setting)
    end
  end

  def test_a_method_that_causes_more_since_a_revision
    windows = @before.to_a + sampled(@before, 50) +
      (@after.to_a + sampled(@after, 100)).map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      said = lambda do |*more|
        holdup("compare", "--store", path, "--revision", "aaa111", "bbb222", *more, now_s: NOW_S).out
      end
      text = said.call("--full")
      sentence = "Since revision bbb222, Slow#rows (app/models/slow.rb:9) makes others wait 1.99 " \
        "times as long in each B#slow: 10.0 ms, before 5.05 ms ("
      assert_includes(text.gsub(/\s+/, " "), sentence)
      assert_match(/^B#slow: Slow#rows app\S* +5\.05 ms +10\.0 ms +\+5\.00 ms +\+99\.0 %.*WORSE$/, text)
      assert_includes(said.call.gsub(/\s+/, " "), sentence)
      assert_match(/リビジョン bbb222 から、Slow#rows/, said.call("--lang", "ja"))
      method = JSON.parse(said.call("--json"))["methods"].first
      assert_equal ["B#slow", "Slow#rows", [48, 48], "worse"],
        method.values_at("name", "method", "samples", "verdict")
    end
  end

  # @return [Array<Holdup::Window>] in which B#slow waits for a holder all the time that it stalls
  def waiting(sample, holder)
    slow = sample.to_a.select { |window| window.series.name == "B#slow" }
    slow.map do |window|
      sample.window("B#slow", kind: :pair, queue: holder, start_s: window.start_s, setting: window.setting,
        histograms: {stalled: Holdup::Histogram.of_sum(window.stalled_ns)})
    end
  end

  def test_a_holder_that_is_new_since_a_revision
    windows = @before.to_a + waiting(@before, "A#fast") +
      (@after.to_a + waiting(@after, "C#new")).map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows) do |path|
      said = lambda do |*more|
        holdup("compare", "--store", path, "--revision", "aaa111", "bbb222", *more, now_s: NOW_S).out
      end
      [said.call, said.call("--full"), said.call("--html")].each do |text|
        plain = text.gsub("<wbr>", "").gsub(/[[:space:]]+/, " ")
        assert_match(/B#slow waits for C#new: new, \d\S* ms in each\./, plain)
      end
      assert_match(/^B#slow: C#new +0 +\d/, said.call("--full"))
      assert_match(/B#slow は新たに C#new を待っています（1 件あたり \d/, said.call("--lang", "ja"))
      found = JSON.parse(said.call("--json"))["pairs"]
        .map { |pair| pair.values_at("victim", "causer", "key") }
      assert_equal [["B#slow", "A#fast", "gone"], ["B#slow", "C#new", "new"]], found.sort
    end
  end

  # As a process with that HOLDUP_ARM records it.
  def arm(name, units, **facts)
    configured = Holdup::SettingFacts.new(
      configuration: Holdup::Configuration.build(env: {"HOLDUP_ARM" => name}), env: {}, root: "/nowhere"
    ).to_h
    SampleWindows.new(units:, minutes: MINUTES, seed: name.size, setting: {**configured, **FACTS, **facts})
  end

  def test_settings_revisions_and_other_facts
    [%w[--by setting], %w[--revision aaa111 bbb222 --kind request],
      %w[--by jit --values yjit,none]].each do |arguments|
      said = JSON.parse(compare(*arguments, "--format", "json").out)
      assert_equal "better", said["verdict"]["key"], arguments.inspect
      assert_equal %w[yjit none],
        said.values_at("before", "after").map { |side| side["settings"].first["attributes"]["jit"] }
    end
  end

  def test_two_arms_side_by_side_and_their_other_differences
    stable, canary = [arm("stable", SHOP), arm("canary", HALF, "jit" => "none")].map(&:to_a)
    with_store(stable + canary) do |path|
      said = holdup("compare", "--full", "--store", path, "--by", "arm", now_s: NOW_S).out
      assert_match(/^before: arm stable, .*\nafter: arm canary, .*\nThis compares arms; .*\n\nBetter: /, said)
      assert_match(/only jit differs, and both ran at the same time/, said.gsub(/\s+/, " "))
      refute_match(/of such intervals/, said)
      document = JSON.parse(holdup("compare", "--full", "--store", path, "--by", "arm", "--format", "json",
        now_s: NOW_S).out)
      assert_equal %w[jit], document["changed"].map { |one| one["subject"] }
    end
  end

  # All units of a side are alike, so that any difference is there for sure.
  def alike(ms)
    sample = SampleWindows.new(setting: FACTS)
    time = Holdup::Histogram.of([(ms * 1_000_000).round] * 30)
    Array.new(MINUTES) { |minute|
      sample.window("A#a", start_s: sample.from_s + 60 * minute, count: 30, sums: {cpu_ns: time.sum},
        histograms: {wall: time, running: time})
    }
  end

  def test_differences_that_change_no_figure
    @before = alike(10.0)
    @after = alike(10.02)
    said = compare(*SPANS).out
    assert_match(/^No relevant difference: /, said)
    assert_match(/^CPU per request or job .* too small$/, said)
    refute_match(/WORSE/, said)
    document = JSON.parse(compare(*SPANS, "--format", "json").out)["metrics"].find { |metric|
      metric["name"] == "cpu_unit"
    }
    assert_equal ["none", false], document.values_at("verdict", "relevant")
  end

  # Three settings and two arms: by setting the arm is no difference, by arm all else is none.
  def test_says_which_settings_were_compared
    windows = [arm("stable", SHOP), arm("canary", SHOP), arm("stable", HALF, "jit" => "none"),
      arm("canary", SHOP, "threads" => 9)].zip([0, 0, 0, 8]).flat_map { |sample, left_out|
      sample.to_a.drop(left_out * 3)
    }
    with_store(windows) do |path|
      said = lambda do |by|
        holdup("compare", "--full", "--store", path, "--by", by, now_s: NOW_S).out.gsub(/\s+/, " ")
      end
      beginning = /before: \h{6}, \h{6}: .*This compares settings, not only arms .* /
      ending = /Of 3, these two have the most requests; --values chooses others\./
      assert_match(/#{beginning}#{ending}/, said.call("setting"))
      beginning = /before: arm stable, .*This compares arms; /
      ending = /other differences in their settings do not matter\. [^O]/
      assert_match(/#{beginning}#{ending}/, said.call("arm"))
      assert_match(/This compares values of jit\./, said.call("jit"))
    end
  end

  def test_a_machine_that_became_slower_itself
    times = [[@before.from_s, 1000], [@before.from_s + LATER_S, 1200]]
    samples = times.flat_map do |from_s, ns|
      Array.new(MINUTES) do |minute|
        {at_s: from_s + 60 * minute, host: "a", pid: 0, name: "container", fixed_work_ns: ns}
      end
    end
    windows = @before.to_a + @after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows, samples) do |path|
      said = holdup("compare", "--full", "--store", path, *SPANS, now_s: NOW_S).out.gsub(/\s+/, " ")
      assert_match(/The machine itself became slower: the same fixed work took \+20\.0 % CPU time\./, said)
      found = JSON.parse(holdup("compare", "--store", path, *SPANS, "--json", now_s: NOW_S).out)
      assert_in_delta 1.2, found["machine_slower"]
    end
    refute_match(/The machine itself/, compare(*SPANS).out)
  end

  def test_keys_for_programs
    said = JSON.parse(compare("--by", "setting", "--format", "json").out)
    assert_equal %w[after before blocks boots changed endpoints left_out machine_slower methods metrics
      mix_effect pairs schema verdict], said.keys.sort
    cpu = said["metrics"].find { |metric| metric["name"] == "cpu_unit" }
    assert_in_delta(-0.5, cpu["relative"], 0.1)
    assert_operator cpu["relative_interval"].last, :<, 0
    assert_equal %w[jit revision], said["changed"].map { |one| one["subject"] }
    assert_equal [120, false, 0.8], said["blocks"].values_at("seconds", "same_time", "held")
  end

  def test_what_is_equal_is_called_the_same
    said = compare(*SPANS)
    assert_match(/^errors +17\.5 % +17\.5 % +0 % +0\.0 % +0\.0\.\.0\.0 % +same$/, said.out)
    errors = JSON.parse(compare(*SPANS, "--format", "json").out)["metrics"].find { |metric|
      metric["name"] == "errors"
    }
    assert_equal ["none", "0.0", %w[0.0 0.0]],
      [errors["verdict"], errors["relative"].to_s, errors["relative_interval"].map(&:to_s)]
  end

  def test_markdown_and_japanese
    sentence = /^\| CPU per request or job \| .* \| better \|$/
    assert_match(sentence, compare(*SPANS, "--format", "markdown").out)
    said = compare(*SPANS, "--lang", "ja").out
    assert_match(/^改善：/, said)
    assert_operator said.lines.map { |line| Holdup::View::Width.of(line.chomp) }.max, :<=, 80
  end

  def test_one_file_for_a_browser
    [SPANS, ["--states", "off=73m..60m", "on=13m.."]].each do |sides|
      said = compare(*sides, "--format", "html", "--lang", "ja")
      assert_equal [0, ""], [said.status, said.err]
      page = Nokogiri::HTML5(said.out, max_errors: 5)
      assert_empty page.errors.map(&:to_s)
      assert_equal "ja", page.root["lang"]
      assert_match(/改善/, page.at_css(".lead").text)
      assert_match(/yjit.*none/m, page.css("table").map(&:text).join)
      assert_equal (sides == SPANS) ? 2 : 0, page.css(".drawings figure").size
    end
  end

  def test_several_states_against_the_first
    states = ["--states", "off=73m..60m", "on=13m..", "again=73m..60m"]
    said = compare(*states)
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/on against off: Better:/, said.out)
    unchanged = "again against off: Nothing changed: both sides have the same elapsed p50, elapsed p95, " \
      "CPU per request or job."
    assert_includes said.out.gsub(/\s+/, " "), unchanged
    assert_match(/^jit +yjit +none +yjit$/, said.out)
    assert_match(/^CPU per request or job +\S+ ms +\S+ ms +-\d\d\.\d % +\S+ ms +same$/, said.out)
    assert_match(/^off +\S+ ms +={30}$/, said.out)
    assert_match(/^- on against off: 2 things differ/, compare(*states, "--format", "markdown").out)
    assert_equal 2, JSON.parse(compare(*states, "--format", "json").out).size
  end

  def test_states_of_too_short_a_time_have_no_intervals
    said = compare("--states", "off=62m..60m", "on=2m..").out
    assert_match(/on against off: Not enough data/, said)
    refute_includes said, "95 % intervals"
  end

  def test_states_that_are_settings
    off, on = [@before, @after].map { |sample| sample.to_a.first.setting.fingerprint }
    assert_match(/on against off: Better:/,
      compare("--states", "off=#{off[0, 6]}", "on=#{on}", "--since", "3h").out)
    said = compare("--states", "off=#{off}", "on=ffff")
    assert_equal [2, ""], [said.status, said.out]
    assert_match(/no setting of that span is "ffff"; there are #{off}/, said.err)
  end

  def test_only_some_figures_and_endpoints
    said = compare(*SPANS, "--metric", "cpu", "--name", "A*").out
    refute_match(/elapsed p50|B#slow/, said)
    assert_match(/^CPU per request or job/, said)
  end

  def test_report_tells_what_changed_with_the_setting
    samples = [[@before, 0], [@after, LATER_S]].flat_map do |sample, offset_s|
      SampleProcesses.new(sample, servers: {"puma" => 2}).to_a.map { |one|
        one.merge(at_s: one[:at_s] + offset_s, since_s: sample.from_s - 600, start: offset_s)
      }
    end
    windows = @before.to_a + @after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) }
    with_store(windows, samples) do |path|
      said = holdup("report", "--full", "--store", path, now_s: NOW_S).out.gsub(/\s+/, " ")
      assert_match(/! puma: the setting has changed: jit yjit -> none/, said)
      assert_match(/! puma: requests or jobs take \d\d % less CPU than before the change of setting/, said)
      document = JSON.parse(holdup("report", "--store", path, "--since", "2h", "--format", "json",
        now_s: NOW_S).out)
      assert_equal %w[setting_changed drift_cpu_unit_better], document["drifts"].map { |one| one["key"] }
      assert_equal [[true, %w[jit revision]]],
        document["marks"].map { |mark| [mark["deployed"], mark["changed"].map { |one| one["subject"] }] }
    end
  end

  # Two workers that use 1.1 of four CPUs together.
  def test_cpu_percent_never_comes_without_its_caveat
    facts = FACTS.merge("vcpus" => 4)
    before = SampleWindows.new(units: SHOP, minutes: MINUTES, setting: facts)
    after = SampleWindows.new(units: HALF, minutes: MINUTES, seed: 2, setting: facts.merge("jit" => "none"))
    samples = [[before, 0], [after, LATER_S]].flat_map { |sample, later_s|
      SampleProcesses.new(sample,
        servers: {"puma" => 2}).to_a.map { |one| one.merge(at_s: one[:at_s] + later_s, start: later_s) }
    }
    with_store(before.to_a + after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) },
      samples) do |path|
      [SPANS, ["--states", "off=73m..60m", "on=13m.."]].each do |sides|
        said = holdup("compare", "--full", "--store", path, *sides, now_s: NOW_S).out
        assert_match(/^CPU % +2\d(\.\d)? % +2\d(\.\d)? % /, said)
        assert_match(/CPU % follows the traffic, and an autoscaler brings it back to its target/,
          said.gsub(/\s+/, " "))
      end
      refute_match(/CPU %/,
        holdup("compare", "--store", path, "--states", "off=73m..60m", "on=13m..", "--metric", "wall",
          now_s: NOW_S).out)
    end
  end

  def test_what_can_not_be_asked
    {
      %w[--before 1h..] => /--after is missing/,
      %w[--before 1h.. --by jit] => /can't be combined/,
      %w[--revision a] => /takes two/,
      %w[--before 1h --after 1h..] => /takes a range/,
      %w[--before 1h..2h --after 1h..] => /ends before it begins/,
      %w[--by jit --metric foo] => /one of wall/,
      %w[--states a=1h..] => /two or more/,
      %w[--states 1h..] => /LABEL=RANGE/,
      %w[--by jit --values a] => /takes two/,
      %w[--before 2h..1h --after 1h.. --since 2h] => /goes with --by/
    }.each do |arguments, message|
      said = holdup("compare", *arguments)
      assert_equal [2, ""], [said.status, said.out], arguments.inspect
      assert_match message, said.err
    end
  end

  def test_what_is_not_there
    {
      %w[--by arm] => /no setting of that span has "arm"; they have jit, /,
      %w[--revision ccc aaa] => /no revision .* "ccc"; there are aaa111, bbb222/,
      [*SPANS, "--kind", "job"] => /no job was measured in that span; there were requests/,
      [*SPANS, "--name", "Nobody*"] => /no request of that span is called "Nobody\*"; there were /
    }.each do |arguments, message|
      said = compare(*arguments)
      assert_equal [2, ""], [said.status, said.out], arguments.inspect
      assert_match message, said.err
    end
    assert_equal 1, compare("--states", "a=1h..", "b=/nonexistent/store@1h..").status
    assert_equal 1, holdup("compare", "--store", "/nonexistent/store", "--by", "jit").status
  end
end

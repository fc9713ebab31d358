# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Experiment::CommandTest < Minitest::Test
  include CommandLine

  FASTER = SimulatedArms.new(minutes: 40, effect: 0.3, threads: {candidate: 3},
    queued_ms: {control: 1, candidate: 1}, processes: 16)
  FEW_PROCESSES = SimulatedArms.new(minutes: 40, effect: 0.3, threads: {candidate: 3},
    queued_ms: {control: 1, candidate: 1})
  EQUAL = SimulatedArms.new(minutes: 40)

  def experiment(*arguments, simulated: FASTER, **options)
    stored(simulated) do |path|
      holdup("experiment", *arguments, "--store", path, now_s: simulated.to_s, **options)
    end
  end

  def stored(simulated)
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      simulated.fill(store)
      store.close
      yield path
    end
  end

  def test_report_begins_with_the_answer
    said = experiment("report", "--values", "control,candidate", env: {"COLUMNS" => "80"})
    sentences = said.out.gsub(/\s+/, " ")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^control: arm control, 9,600 requests, processes: 16$/, said.out)
    assert_match(/Better: [^:]*CPU per request or job -\d\d\.\d %/, sentences)
    assert_match(/only threads differs/, sentences)
    assert_match(/A\/A check: halves of the processes .* \(arm control, arm candidate\)/, sentences)
    assert_match(/^queued .*sed, mean 27\.\d ms .* better$/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_report_for_programs
    found = JSON.parse(experiment("report", "--values", "control,candidate", "--json").out)
    assert_equal ["better", nil], found["verdict"].values_at("key", "reason")
    assert_equal ["arm candidate", 9600, 16], found["candidate"].values_at("label", "units", "processes")
    assert_equal %w[equal equal], found["equality"].map { |check| check["key"] }
    cpu = found["figures"].find { |figure| figure["name"] == "cpu_unit" }
    assert_equal "better", cpu["verdict"]
    assert_operator cpu["relative_interval"].last, :<, -0.1
    assert_operator cpu["relative_interval_alone"].last, :<, -0.2
    assert_equal [0.1, true, []], found["boots"].values_at("deviation", "assumed", "decides")
  end

  def test_more_processes_where_only_their_draw_makes_a_difference_uncertain
    asked = ["report", "--values", "control,candidate"]
    said = experiment(*asked, simulated: FEW_PROCESSES).out.gsub(/\s+/, " ")
    assert_match(/No difference could be shown\./, said)
    assert_match(/Next: run it on more processes \(2 of control, 2 of candidate so far\)/, said)
    assert_match(/would be certain: .*CPU per request or job -29\.\d % \(-33\.\d.*%\)\. - A\/A check/, said)
    found = JSON.parse(experiment(*asked, "--json", simulated: FEW_PROCESSES).out)
    assert_includes found["boots"]["decides"], "cpu_unit"
  end

  def test_status_has_the_looks
    said = experiment("status", "--for", "1h", simulated: EQUAL)
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^20 of 30 blocks of 2 min; look 2 of 3\.$/, said.out)
    next_look = /Too early to say; the next look is in about 20 min, at 30 blocks of 2 min\./
    assert_match(next_look, said.out.gsub(/\s+/, " "))
    refute_match(/^figure/, said.out)
  end

  def test_plan_says_how_long_it_takes
    said = experiment("plan", simulated: EQUAL)
    assert_equal [0, ""], [said.status, said.err]
    time_needed = /needs about \d+ (min|h) at this traffic to show \d+ % in elapsed p95\./
    assert_match(time_needed, said.out.gsub(/\s+/, " "))
    assert_match(/^CPU per request or job +9\.\d+ ms( +(\d+ \w+|-)){3}$/, said.out)
  end

  one_ruby def test_plan_for_programs
    found = JSON.parse(experiment("plan", "--json", "--for", "2h", simulated: EQUAL).out)
    assert_equal ["processes", "equal"], found.values_at("basis", "equality")
    cpu = found["figures"].find { |figure| figure["name"] == "cpu_unit" }
    seconds = cpu["seconds"].values_at("0.05", "0.1", "0.2")
    assert_equal seconds.sort.reverse, seconds
    assert_includes 0.01..0.2, cpu["visible"]
  end

  one_ruby def test_japanese
    assert_match(/^改善：/, experiment("report", "--values", "control,candidate", "--lang", "ja").out)
    assert_match(/約 \d+ (分|時間)の実験が必要です/,
      experiment("plan", "--lang", "ja", simulated: EQUAL).out.delete("\n"))
  end

  def test_arms_that_are_not_there
    said = experiment("report", "--arms", "jit")
    assert_equal 2, said.status
    assert_match(/no setting of that span has "jit"/, said.err)
    with_store do |path|
      said = holdup("experiment", "report", "--store", path, now_s: SampleWindows::START_S + 300)
      assert_equal 1, said.status
      assert_match(/no process of that span has an arm; set HOLDUP_ARM/, said.err)
    end
  end

  def test_revisions_side_by_side
    revisions = {control: ->(_) { "abc" }, candidate: ->(_) { "def" }}
    canary = SimulatedArms.new(minutes: 40, effect: 0.3, revisions:, processes: 16)
    said = experiment("report", "--arms", "revision", "--values", "abc,def", simulated: canary)
    assert_match(/^candidate: revision def/, said.out)
    assert_match(/^Better: /, said.out)
  end

  def test_wrong_arguments
    {["begin"] => /takes one of plan, start, status, report, stop/,
     [] => /no arms take turns on this host; .*experiment plan.* --for 2h/,
     ["start"] => /start needs the planned length/,
     ["status"] => /no arms take turns on this host; .*experiment plan.* --for 2h/,
     ["report", "--for", "5"] => /--for can't be "5"/,
     ["report", "--values", "a"] => /--values takes two/,
     ["report", "--arms", "x"] => /--arms can't be "x"/}
      .each do |arguments, message|
      said = holdup("experiment", *arguments)
      assert_equal 2, said.status, arguments.inspect
      assert_match(message, said.err)
    end
  end

  def test_nothing_recorded
    said = stored(EQUAL) do |path|
      holdup("experiment", "plan", "--store", path, now_s: EQUAL.from_s - 86_400)
    end
    assert_equal 1, said.status
    assert_match(/no requests were recorded in that span/, said.err)
  end
end

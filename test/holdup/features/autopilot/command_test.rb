# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/coarse_sizing"
require_relative "../../../support/played_store"

class Holdup::Autopilot::CommandTest < Minitest::Test
  include CoarseSizing
  include CommandLine
  include SampleMinutes
  include TemporaryFolder

  PLAYED = PlayedStore.usual
  GOAL = "p95=300ms threads=1..8"
  NOW_S = 1_790_000_000

  def autopilot(*arguments, now_s: NOW_S, env: {})
    holdup("autopilot", *arguments, env: {"HOLDUP_DIR" => folder, "USER" => "deploy", **env}, now_s:)
  end

  def files = Holdup::AutopilotFolder.new(folder)

  def write(**facts)
    files.write_state(Holdup::Autopilot::State.new(**facts).to_json)
  end

  def plan
    lease = Holdup::PlanLease.new(leased_s: NOW_S, lease_s: 60)
    Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [5, 3], turns: nil, lease:, by: "x",
      why: "p95 -20 %")
  end

  def test_status_says_why_it_waits
    assert_match(/\AWaiting: it is off \(config\.autopilot switches it on\), or no collector has run/,
      autopilot("status").out)
    write(waits: :low_load)
    assert_equal "Waiting: the load is below half of the usual one.\n", autopilot.out
    assert_match(/\A待機中：負荷が/, autopilot("--lang", "ja").out)
  end

  # Whatever the loop can wait for has a sentence.
  def test_every_reason_has_a_sentence
    source = %w[collector_part.rb decision.rb].map { |name|
      File.read(File.expand_path("../../../../lib/holdup/features/autopilot/#{name}", __dir__))
    }.join
    reasons = source.scan(/(?:wait|forget)\(:(\w+)|then :(\w+)$/).flatten.compact.uniq
    assert_operator reasons.size, :>, 15
    reasons.each do |reason|
      write(waits: reason.to_sym)
      assert_equal 0, autopilot.status, reason
    end
  end

  def test_status_speaks_of_processes_too
    processes = plan.with(lever: "processes", values: [2, 3])
    change = {at_s: NOW_S, id: "k3f9", lever: "processes", from: 2, to: 3, by: "collector", why: "p95 -20 %"}
    write(kept: processes, history: [change])
    files.take_back(processes, at_s: NOW_S, why: "too slow")
    said = autopilot.out
    assert_match(/Kept: the server has 3 processes instead of 2/, said)
    assert_match(/^-workers 2\n\+workers 3$/, said)
    assert_match(/a worker took 3 processes back \(too slow\)/, said)
    found = JSON.parse(autopilot("--json").out)
    assert_equal [nil, {"from" => 2, "to" => 3}], found.values_at("threads", "processes")
    assert_equal [nil, 3], found["taken_back"].first.values_at("threads", "processes")
  end

  def test_status_shows_what_is_kept_and_how_to_make_it_permanent
    SegmentWriter.new(folder).profile = {"lever.threads.where" => "config/puma.rb:3"}
    write(kept: plan, history: [{at_s: NOW_S, id: "k3f9", from: 5, to: 3, by: "collector", why: "p95 -20 %"}])
    said = autopilot.out
    assert_match(/Kept: all workers have 3 threads instead of 5 \(p95 -20 %\)/, said)
    assert_match(/threads 5 -> 3 \(collector: p95 -20 %\)/, said)
    assert_match(/^--- config\/puma.rb:3\n.*\n-threads 5, 5\n\+threads 3, 3$/, said)
    found = JSON.parse(autopilot("status", "--json").out)
    assert_equal ["kept", {"from" => 5, "to" => 3}], found.values_at("phase", "threads")
  end

  def audited
    path = File.join(folder, "store.sqlite3")
    store = Holdup::Store.open(path)
    facts = {lever: "threads", plan_id: "k3f9", from: 5, to: 3, pid: 7}
    changes = [
      {at_s: NOW_S - 60, host: "web-1", event: :kept, who: :autopilot, by: "collector", why: "p95 -20 %"},
      {at_s: NOW_S - 10, host: "web-1", event: :ends, who: :operator, by: "ops", why: "frozen",
       from: 3, to: 5},
      {at_s: NOW_S - 90_000, host: "web-1", event: :kept, who: :autopilot, why: "of the day before"},
      {at_s: NOW_S - 60, host: "web-2", event: :kept, who: :autopilot, why: "of another host"}
    ]
    changes = changes.map.with_index do |one, index|
      Holdup::AuditEntry.new(source: "s#{index}", **facts, **one)
    end
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "web-1", folder: "/x", at_ns: 1, units: {})
    windows = SampleWindows.new.to_a.map { |window| window.with(host: "web-1") }
    store.commit(windows, {}, audit: changes, collector_checkpoint:)
    store.close
    path
  end

  def test_status_shows_what_processes_of_this_host_did_within_a_day
    env = {"HOLDUP_STORE" => audited, "HOLDUP_HOST" => "web-1"}
    said = autopilot(env:).out
    assert_match(/: threads 3 -> 5 in processes 7 \(k3f9 ends: operator, ops: frozen\)\.\n/, said)
    assert_match(/: threads 5 -> 3 in processes 7 \(k3f9 is kept: autopilot, collector: p95 -20 %\)\.\n/,
      said)
    refute_match(/another host|day before/, said)
    found = JSON.parse(autopilot("--json", env:).out)["audit"]
    assert_equal %w[autopilot operator], found.map { |change| change["who"] }
    assert_nil JSON.parse(autopilot("--json").out)["audit"], "no store"
  end

  def test_freeze_and_thaw
    assert_match(/\AFrozen: within seconds/, autopilot("freeze").out)
    assert files.frozen_by_file?
    assert_match(/\AFrozen: all workers have/, autopilot.out)
    assert_match(/\AThawed/, autopilot("thaw").out)
    assert_match(/was not frozen/, autopilot("thaw").out)
    assert_match(/\AFrozen/, autopilot(env: {"HOLDUP_AUTOPILOT_FREEZE" => "1"}).out)
  end

  def test_what_it_does_not_take
    assert_equal 2, autopilot("fly").status
    assert_match(/HOLDUP_AUTOPILOT="p95=300ms threads=1..8"/, autopilot("candidate").err)
    assert_equal 1, autopilot("freeze", "--dir", "/nonexistent").status
  end

  # And its experiment takes 20 to 120 turns.
  one_ruby def test_the_candidate_of_a_recording_is_within_the_range
    PLAYED.in_a_file do |path|
      {"1..8" => 180, "4..8" => 30}.each do |range, turn_s|
        env = {"HOLDUP_AUTOPILOT" => "p95=300ms threads=#{range} turn=#{turn_s}"}
        said = share_sizing(PLAYED) do
          autopilot("candidate", "--json", "--store", path, "--host", PlayedStore::HOST,
            now_s: PLAYED.to_s, env:)
        end
        assert_equal [0, ""], [said.status, said.err]
        found = JSON.parse(said.out, symbolize_names: true)
        assert_equal %i[threads why reason grade fresh load planned_s], found.keys
        assert found[:fresh]
        assert_in_delta 1.0, found[:load], 0.5
        assert_includes (20 * turn_s)..(120 * turn_s), found[:planned_s]
        first, last = range.split("..").map(&:to_i)
        assert_includes [nil, *first..last], found[:threads]
      end
    end
  end

  # One process with one thread, whose requests mostly wait for each other.
  one_ruby def test_the_candidate_may_be_a_number_of_processes
    waiting = PlayedRecording.new(shapes: {"QuotesController#show" => [1.0, 2, 48, 3]}, minutes: 10,
      processes: 1, threads: 1, rate: 12.0)
    PlayedStore.new(waiting).in_a_file do |path|
      said = autopilot("candidate", "--json", "--store", path, "--host", PlayedStore::HOST,
        now_s: PLAYED.to_s, env: {"HOLDUP_AUTOPILOT" => "p95=300ms processes=1..2"})
      found = JSON.parse(said.out, symbolize_names: true)
      assert_equal %i[processes why reason grade fresh load planned_s], found.keys
      assert_equal 2, found[:processes], said.out + said.err
    end
  end

  # A host whose CPUs others use as well lacks them with any number of threads.
  one_ruby def test_a_limit_that_the_present_threads_break_too_forbids_no_other_number
    waiting = PlayedRecording.new(shapes: {"QuotesController#show" => [1.0, 2, 48, 3]}, minutes: 10,
      processes: 2, threads: 1, rate: 22.0)
    recommend = Sizing::Recommendation.method(:new)
    busy = lambda do |*given, limits:, **options|
      others = Sizing::ResourceLimits::OtherCpus.always(0.9 * limits.vcpus)
      recommend.call(*given, limits: limits.with(others:), **options)
    end
    PlayedStore.new(waiting).in_a_file do |path|
      said = Sizing::Recommendation.stub(:new, busy) do
        autopilot("candidate", "--json", "--store", path, "--host", PlayedStore::HOST, now_s: PLAYED.to_s,
          env: {"HOLDUP_AUTOPILOT" => GOAL})
      end
      assert_includes 2..8, JSON.parse(said.out)["threads"], said.out + said.err
    end
  end

  # Windows are of a minute: the one of the change has both settings.
  one_ruby def test_the_minute_in_which_threads_changed_is_no_part_of_the_recording
    PLAYED.in_a_file do |path|
      store = Holdup::Store.open(path)
      first = store.windows(PLAYED.from_s, PLAYED.from_s + 60).find { |window| window.series.unit? }
      setting = Holdup::Setting.new(attributes: first.setting.attributes.merge("threads" => 16))
      store.commit([first.with(setting:)], {})
      store.close
      reasons = [10, -60].map do |after_s|
        since = Time.at(PLAYED.from_s + after_s).utc.strftime("%FT%TZ")
        said = share_sizing(PLAYED) do
          autopilot("candidate", "--json", "--store", path, "--host", PlayedStore::HOST, "--since", since,
            now_s: PLAYED.to_s, env: {"HOLDUP_AUTOPILOT" => GOAL})
        end
        JSON.parse(said.out)["reason"]
      end
      assert_equal [nil, "mixed_settings"], reasons
    end
  end

  # What ran for four minutes was not idle in the six before.
  def test_the_load_of_a_short_recording_is_that_of_its_own_minutes
    path = File.join(folder, "store.sqlite3")
    Holdup::Store.open(path).tap { |store| store.commit(Array.new(4) { |index| minute(index) }, {}) }.close
    said = autopilot("candidate", "--json", "--store", path, now_s: SampleMinutes::MINUTE_START + 240,
      env: {"HOLDUP_AUTOPILOT" => GOAL})
    assert_in_delta 1.0, JSON.parse(said.out).fetch("load"), 0.01
  end

  def test_no_verdict_without_an_experiment
    assert_equal({"id" => nil, "key" => nil, "why" => nil}, JSON.parse(autopilot("verdict").out))
  end
end

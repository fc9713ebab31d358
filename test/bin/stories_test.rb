# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/stories"

# The outputs that docs/stories show are what their commands print on the recordings that are kept.
class StoriesTest < Minitest::Test
  one_ruby

  MOST_BYTES = 2_000_000

  def setup
    @folder = File.join(Dir.mktmpdir, "stories")
  end

  def teardown = FileUtils.rm_rf(File.dirname(@folder))

  # Advice replays for ten seconds, and the same again for the other language.
  Stories::PAGES.each do |page|
    name = define_method(:"test_the_outputs_of_#{File.basename(page, ".md").tr("-.", "__")}_are_current") do
      Stories.unpack(@folder)
      assert_equal File.read(page), Stories::Page.new(page, @folder).call, "bin/stories --write corrects it"
    end
    thorough name if page.end_with?(".ja.md")
  end

  def test_each_story_is_there_in_both_languages
    names = Stories::PAGES.map { |page| File.basename(page) }
    english, japanese = names.partition { |name| !name.end_with?(".ja.md") }
    assert_operator english.size, :>=, 6
    assert_equal english, japanese.map { |name| name.sub(".ja.md", ".md") }
  end

  def test_both_languages_show_the_same_commands
    Stories::PAGES.reject { |path| path.end_with?(".ja.md") }.each do |path|
      pages = [path, path.sub(".md", ".ja.md")]
      english, japanese = pages.map { |name| File.read(name).scan(/^\$ holdup .*/) }
      without_lines = ->(typed) { typed.sub(/ \| .*/, "") }
      assert_equal english.map(&without_lines), japanese.map(&without_lines)
    end
  end

  def test_the_recordings_are_small
    sizes = Stories::RECORDINGS.map { |name| File.size(Stories.kept(name)) }
    assert_operator sizes.sum, :<, MOST_BYTES
  end

  def test_says_which_recordings_it_makes
    said = capture_io { refute Stories.main(%w[--record nights]) }.last
    names = "vcpus, yjit, upgrade, storefront, calm, starved, night"
    assert_equal "bin/stories records #{names}, not \"nights\"\n", said
  end

  def test_each_recording_that_it_makes_is_kept
    assert_empty Stories::RECORDED_HERE.keys - Stories::RECORDINGS
    Stories::RECORDED_HERE.each_value { |constant| assert_respond_to Stories.const_get(constant), :record }
  end

  # The recording of YJIT goes on with the limit that Holdup advises.
  def test_finds_the_limit_that_is_advised_for_workers_with_yjit
    Stories.unpack(@folder)
    written = page("export HOLDUP_STORE=tmp/stories/yjit.sqlite3\n")
    shown = Stories::Page.new(written, @folder).tap(&:call)
      .output("holdup advise --full --since 2026-11-30T10:25Z --until 2026-11-30T10:30Z")
    assert_equal "795", shown[Stories::YjitOn::ADVISED, 1]
  end

  # The recording at night needs a watchdog that ends the export before it is whole, and not before it runs.
  def test_a_worker_has_room_for_most_of_an_export
    assert_equal 280, Stories::KilledAtNight.limit_mb(worker_mb: 70, export_mb: 280)
    assert_equal 160, Stories::KilledAtNight.limit_mb(worker_mb: 84, export_mb: 100)
  end

  def test_the_page_shows_the_defect_of_the_export_and_its_fix
    export = File.read(File.join(Stories::KilledAtNight::SHOP, Stories::KilledAtNight::EXPORT))
    fixed = Stories::KilledAtNight.fixed(export)
    assert_includes export, Stories::KilledAtNight::DEFECT
    assert_includes fixed, Stories::KilledAtNight::FIX
    assert_raises(RuntimeError) { Stories::KilledAtNight.fixed(fixed) }
    %w[killed-at-night.md killed-at-night.ja.md].each do |page|
      shown = File.read(File.join(Stories::ROOT, "docs/stories", page)).scan(/^```ruby\n(.*?)^```/m).flatten
      code = [Stories::KilledAtNight::DEFECT, Stories::KilledAtNight::FIX]
      assert_equal code.map { |lines| lines.gsub(/^ {4}/, "") }, shown, page
    end
  end

  def test_a_recording_without_a_container_runs_its_commands_as_they_are
    inside = Stories::Uncontained.open { |container| container.inside("sleep", "1") }
    assert_equal %w[sleep 1], inside
  end

  def test_the_watchdog_kills_a_worker_above_its_limit
    worker = Process.spawn("sleep", "60")
    watchdog = Stories::WorkerWatchdog.new(limit_mb: -1) { puma_log(Process.pid, worker) }
    status = watchdog.watch { Process.wait2(worker).last }
    assert_equal Signal.list.fetch("KILL"), status.termsig
    assert_equal [worker], watchdog.killed
    assert_empty watchdog.workers
  end

  def test_the_watchdog_leaves_workers_below_its_limit_and_processes_of_others
    worker = Process.spawn("sleep", "60")
    enough_mb = 1_000_000
    assert_equal [worker], Stories::WorkerWatchdog.new(limit_mb: enough_mb) { puma_log(Process.pid, worker) }
      .workers.keys
    assert_empty Stories::WorkerWatchdog.new(limit_mb: enough_mb) { puma_log(worker, worker) }.workers
    assert_empty Stories::WorkerWatchdog.new(limit_mb: enough_mb) { "Puma starts" }.workers
  ensure
    Process.kill(:KILL, worker)
    Process.wait(worker)
  end

  def test_a_recording_has_the_minutes_of_its_load_and_what_its_story_shows
    Stories.unpack(@folder)
    %w[yjit upgrade night].each do |name|
      store = SQLite3::Database.new("#{@folder}/#{name}.sqlite3", readonly: true)
      left_out = "SELECT COUNT(*) FROM series WHERE kind IN ('pair', 'method')"
      assert_equal 0, store.get_first_value(left_out), name
      assert_equal 0, store.get_first_value("SELECT COUNT(*) FROM windows WHERE seconds > 60"), name
    ensure
      store&.close
    end
  end

  def test_a_page_gets_the_outputs_of_its_commands
    written = page("export HOLDUP_STORE=x\n", "```\n$ holdup version | head -1\nold\n```\n")
    said = Stories::Page.new(written, @folder).call.lines
    assert_equal ["export HOLDUP_STORE=x\n", "```\n", "$ holdup version | head -1\n"], said.first(3)
    assert_match(/\Aholdup #{Holdup::VERSION} /o, said[3])
    assert_equal ["```\n"], said.drop(4)
  end

  def test_a_filter_takes_lines_from_within
    written = page
    shown = Stories::Page.new(written, @folder).output("holdup help | sed -n '2,3p'")
    assert_equal ["`holdup` alone prints the report.\n", "\n"], shown.lines
  end

  def test_another_filter_is_refused
    written = page
    assert_raises(ArgumentError) { Stories::Page.new(written, @folder).output("holdup version | grep x") }
  end

  private

  def puma_log(master, worker)
    "[#{master}] Puma starting in cluster mode...\n[#{master}] - Worker 0 (PID: #{worker}) booted in 0.1s\n"
  end

  def page(*parts)
    path = "#{File.dirname(@folder)}/page.md"
    File.write(path, parts.join)
    path
  end
end

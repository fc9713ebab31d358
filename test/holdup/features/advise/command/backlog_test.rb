# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "json_schemer"
require_relative "../../../../support/coarse_sizing"
require_relative "../../../../support/played_store"

# What the advice says where jobs wait.
class Holdup::CLI::AdviseBacklogTest < Minitest::Test
  one_ruby

  include CoarseSizing
  include CommandLine

  # Jobs of 51 ms that mostly wait: two threads do 40 a second.
  def self.played(rate: 12.0, minutes: 6, **options)
    recording = PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 1, 50, 3]}, rate:, minutes:,
      threads: 2, queue: "sync", swing: 0.0)
    PlayedStore.new(recording, **options)
  end

  WAITING = played(queues: "0:urgent=0 1:sync=12400")
  # Too few jobs to advise anything.
  FEW = played(rate: 0.25, queues: "0:sync=12000 1:new=400")
  MORE = played(queues: "0:sync=10000+")

  def advise(played, *arguments)
    played.in_a_file do |path|
      share_sizing(played) do
        size_coarsely do
          holdup("advise", "--store", path, "--since", "1h", "--kind", "job", *arguments, now_s: played.to_s)
        end
      end
    end
  end

  def plain(text) = text.gsub(/\s+/, " ")

  def test_says_when_the_backlog_is_done
    said = advise(WAITING, "--full")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/This backlog of 12,400 jobs is done in \d+ min at 2 threads \(now\), \d+ s at 10\./,
      plain(said.out))
    assert_match(/^When this backlog is done$/, said.out)
    assert_match(/^sync +12,400 +\d/, said.out)
    assert_match(/No jobs are taken to arrive meanwhile\./, plain(said.out))
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_says_it_where_nothing_can_be_advised
    said = advise(FEW)
    assert_match(/This backlog of 12,400 jobs is done in/, plain(said.out))
    refute_match(/Can't size yet/, said.out)
    assert_match(/Can't size yet/, advise(FEW, "--full").out)
  end

  def test_a_queue_without_a_recorded_job_is_named
    assert_match(/No job of new was recorded/, plain(advise(FEW, "--full").out))
  end

  def test_says_that_more_jobs_wait_than_were_counted
    assert_match(/More than 10,000 jobs wait; so many are done in/, plain(advise(MORE).out))
  end

  def test_says_it_in_japanese
    said = advise(WAITING, "--lang", "ja").out.gsub(/\s+/, "")
    assert_match(/待っている12,400件のジョブは、2スレッド（現在）なら5分、10スレッドなら\d+秒で終わります。/, said)
  end

  def test_says_it_for_programs
    document = JSON.parse(advise(WAITING, "--format", "json").out)
    schema = JSON.parse(File.read(File.expand_path("../../../../../docs/schema/advise.json", __dir__)))
    assert_empty JSONSchemer.schema(schema).validate(document).map { |error| error.fetch("error") }
    found = document.fetch("backlog")
    assert_equal [12_400, false, [], 0.0],
      found.values_at("jobs", "more", "unrecorded", "arrivals_per_second")
    assert_equal [{"queue" => "sync", "jobs" => 12_400}], found["queues"]
    settings = found["settings"].map { |one| one.values_at("processes", "threads") }
    assert_equal [1, 2].product([1, 2, 5, 10]), settings
    assert_in_delta 12_400 * 0.0515 / 2, found["now"]["done_ns"] / 1e9, 10
  end

  def test_says_nothing_where_no_jobs_wait
    refute JSON.parse(advise(self.class.played(queues: "0:sync=3"), "--format", "json").out).key?("backlog")
  end
end

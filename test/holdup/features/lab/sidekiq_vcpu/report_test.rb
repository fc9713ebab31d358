# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/loader"
require_relative "sample_outcomes"

class Holdup::Lab::SidekiqVcpu::ReportTest < Minitest::Test
  def words(language) = Holdup::View::Words.new(language)

  def text(result = SampleOutcomes.new.result, language: "en", **options)
    page = Holdup::Lab::SidekiqVcpu::Report.new(result, words: words(language)).page
    Holdup::View::Text.new(page, **options).call
  end

  def test_says_first_what_to_remember
    assert_equal "Two jobs that compute, 2 vCPUs", text.lines(chomp: true).first
    assert_includes text.tr("\n", " "),
      "2 vCPUs, 1 process: CPU can never pass 50-55 %; an autoscaling target of 60 % never fires; at " \
      "least 0.9 vCPUs are always idle."
  end

  def test_has_a_row_for_each_experiment
    rows = text.lines(chomp: true).grep(/ (fires|silent)\z/).map { |line| line.split(/\s{2,}/) }
    assert_equal [
      ["alone", "1.00x", "1.00x", "1.00 s", "0", "-", "50.0 %", "silent"],
      ["two threads", "2.00x", "2.00x", "1.00 s", "995 ms", "100 %", "50.0 %", "silent"],
      ["serial", "1.00x", "2.00x", "1.00 s", "0", "-", "50.0 %", "silent"],
      ["two processes", "1.00x", "1.00x", "1.00 s", "0", "-", "100 %", "fires"]
    ], rows.map { |row| row.map { |cell| cell.sub("50.1 %", "50.0 %") } }
  end

  def test_draws_each_job_on_one_scale
    bars = text.lines(chomp: true).grep(/\A.{14}[AB] [#x.]+\z/).map { |line| line[16..] }
    alone, *, serial_a, serial_b, process_a, _ = bars
    assert_equal 7, bars.size
    assert_match(/\A#+\z/, alone)
    assert_equal "." * serial_a.size, serial_b[/\A\.+/]
    assert_in_delta 2, serial_b.size.fdiv(alone.size), 0.1
    assert_match(/\A#+x+\z/, bars[1])
    assert_in_delta 2, bars[1].size.fdiv(process_a.size), 0.1
    assert_match(/\A {16}0x +1x +2x\z/, text.lines(chomp: true).grep(/\A +0x/).first)
  end

  def test_explains_and_advises
    flat = text.gsub(/\s+/, " ")
    assert_includes flat,
      "each took 2.00x, ran for 1.00 s and waited 995 ms for the GVL; the other job caused 100 % of that."
    beginning = /one process computes on 1.0 CPUs, /
    ending = /however many vCPUs the host has. That was 100 % of 1 vCPU and is 50\.\d % of 2 vCPUs/
    assert_match(/#{beginning}#{ending}/, flat)
    assert_includes flat, "Start as many Sidekiq processes as there are vCPUs (2 here)"
    refute_match(/^! /, text)
  end

  def test_on_one_vcpu
    sample = SampleOutcomes.new(vcpus: 1)
    shared = {"JobA" => {cpu: 1000, starved: 1000}, "JobB" => {cpu: 1000, starved: 1000}}
    flat = text(sample.result(processes: [sample.outcome(shared)])).gsub(/\s+/, " ")
    assert_includes flat, "1 vCPU, 1 process: one process can use all of it"
    assert_includes flat, "but they share 1 vCPU, so they waited for a CPU instead"
    refute_includes flat, "halved"
  end

  def test_says_when_the_machine_was_busy_and_what_it_would_be_else
    sample = SampleOutcomes.new
    busy = {"JobA" => {cpu: 1000, starved: 500}, "JobB" => {cpu: 1000, starved: 500}}
    flat = text(sample.result(processes: [sample.outcome(busy)])).gsub(/\s+/, " ")
    assert_includes flat, "! Jobs held the GVL without a CPU for up to 33.3 % of their time"
    assert_includes flat,
      "Without that time: alone 1.00x, two threads 2.00x, serial 1.00x, two processes 1.00x each; " \
      "the table and the bars show what was measured."
    assert_includes flat,
      "Two processes: 1.00x without starved time (measured: 1.50x) each, 1.00x without starved time " \
      "(measured: 1.50x) in all."
  end

  def test_names_cpu_as_measured_and_without_what_disturbed_it
    sample = SampleOutcomes.new
    busy = {"JobA" => {cpu: 1000, starved: 500}, "JobB" => {cpu: 1000, starved: 500}}
    said = text(sample.result(processes: [sample.outcome(busy)]))
    row = said.lines(chomp: true).find { |line|
      line.start_with?("two processes ") && line.end_with?("fires", "silent")
    }
    measured = row.split(/\s{2,}/)[6]
    assert_operator measured.to_f, :<, 70
    assert_includes said.gsub(/\s+/, " "),
      "CPU of all vCPUs: 100 % without starved time (measured: #{measured})."
    japanese = text(sample.result(processes: [sample.outcome(busy)]), language: "ja")
    assert_includes japanese.delete("\n ").delete("　"),
      "CPU待ちを除いて100%（実測#{measured.delete(" ")}）"
  end

  def test_calls_figures_of_a_quiet_machine_measured_only
    refute_includes text, "without starved time"
    assert_includes text.gsub(/\s+/, " "), "CPU of all vCPUs: 100 %."
  end

  def test_says_when_the_work_itself_took_longer
    sample = SampleOutcomes.new
    slow = sample.outcome({"JobA" => {cpu: 1500}, "JobB" => {cpu: 1500}})
    assert_includes text(sample.result(processes: [slow])).gsub(/\s+/, " "),
      "! two processes: 1.50x each and 1.50x in all, where theory says 1.00x and 1.00x. The same work " \
      "took 1.50x the CPU time"
  end

  def test_fits_the_terminal
    %w[en ja].product([66, 80, 100]).each do |language, width|
      text(language:, width:).each_line(chomp: true) { |line|
        assert_operator Holdup::View::Width.of(line),
          :<=,
          width,
          line
      }
    end
  end

  def test_colours_only_repeat_what_characters_say
    style = Holdup::View::Drawing::Style.new(true)
    assert_equal text, text(style:).gsub(/\e\[\d+m/, "")
  end

  def test_json
    json = JSON.parse(Holdup::Lab::SidekiqVcpu::Report::Json.new(SampleOutcomes.new.result).call)
    assert_equal [1, "sidekiq-vcpu", 2, 1, 0.6],
      json.values_at("schema", "lab", "vcpus", "repeats", "autoscale_target")
    assert_equal(
      {"processes" => 1, "low" => 0.5, "high" => 0.55, "alarm" => "never",
       "processes_needed" => 2}, json["ceiling"]
    )
    threads = json["experiments"][1]
    assert_equal ["threads", 2, 1, 2, 1.995, 2.0, true, false],
      threads.values_at("name", "jobs", "processes", "concurrency", "each", "in_all", "as_expected", "alarm")
    assert_equal [["JobA", 990_000_000], ["JobB", 1_000_000_000]],
      threads["units"].map { |job| job.values_at("name", "stalled_ns") }
    assert_in_delta 1, threads["stall_caused_by_other_job"]
    assert_equal 4, json["meaning"].size
  end
end

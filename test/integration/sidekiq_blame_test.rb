# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# CPU-bound and I/O-bound jobs side by side in one Sidekiq, from `holdup exec` to the report: who is to blame?
class SidekiqBlameTest < Minitest::Test
  include TemporaryFolder

  EXE = File.join(ServedApp::ROOT, "exe/holdup")
  PDFS = 30
  MAILS = 90

  def test_the_report_names_the_class_that_works_on_the_cpu
    run_jobs
    document = JSON.parse(report("--format", "json"))
    pdf, mail = %w[PdfJob MailJob].map { |name|
      document.fetch("series").find { |series| series["name"] == name }
    }
    assert_equal [[PDFS, 0], [MAILS, 0]], [pdf, mail].map { |series| series.values_at("count", "errors") }
    assert_verdict(document.fetch("verdict"))
    assert_operator pdf["caused_ns"], :>, mail["caused_ns"] * 10
    assert_operator mail.dig("stalled_ns", "sum"), :>, pdf.dig("stalled_ns", "sum") * 10
    assert_identity document.fetch("totals"), pdf, mail
    assert_match(/PdfJob caused \d+ % of the GVL wait of\s+MailJob/,
      report("--kind", "job", "--table", "pairs"))
  end

  private

  # Of a machine that had no CPU for them, the report says that first.
  def assert_verdict(verdict)
    return assert_includes(verdict["text"], "CPU") if verdict["key"] == "no_cpu"
    assert_equal "one_cause", verdict["key"]
    assert_match(/\APdfJob \[default\].* caused/, verdict["text"])
  end

  def run_jobs
    RedisServer.run do |redis|
      command = [RbConfig.ruby, EXE, "exec", "--store", store, "--", *SidekiqProcess::COMMAND, "-c", "10",
        "-t", "1"]
      SidekiqProcess.run(redis, command:, env: {"WITHOUT_HOLDUP" => "1"}) do |sidekiq|
        mails = "#{MAILS / PDFS}.times { MailJob.perform_async }"
        sidekiq.push("#{PDFS}.times { PdfJob.perform_async; #{mails} }")
        sidekiq.wait_reported("mail", MAILS) && sidekiq.wait_reported("pdf", PDFS)
        assert_equal 0, sidekiq.stop.exitstatus, sidekiq.log
      end
    end
  end

  # For every nanosecond that a thread stalled, another thread is charged, or no thread held the GVL.
  def assert_identity(totals, *series)
    accounts_ns = totals["accounts"].sum { |each| each["caused_ns"] }
    caused = series.sum { |each| each["caused_ns"] } + accounts_ns + totals["handoff_ns"]
    suffered = series.sum { |each|
      each.dig("stalled_ns",
        "sum")
    } + totals["accounts"].sum { |each| each["suffered_ns"] }
    assert_in_delta 1.0, caused.fdiv(suffered), 0.01
  end

  def store
    "sqlite://#{folder}/store.sqlite3"
  end

  def report(*arguments)
    output, status = Open3.capture2e(RbConfig.ruby, EXE, "report", "--store", store, *arguments)
    assert status.success?, output
    output
  end
end

# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Advise::VerifyCommandTest < Minitest::Test
  include TemporaryFolder

  NOW_S = SampleWindows.new.to_s
  ADVICE = {version: 1, verdict: "change", from_s: NOW_S - 180, to_s: NOW_S - 60,
            current: {processes: 2, threads: 5, time_slice_ns: 100_000_000},
            best: {processes: 2, threads: 3, time_slice_ns: 100_000_000}}.freeze

  def test_refuses_a_file_that_it_can_not_read
    missing = assert_raises(Holdup::UsageError) { verify(File.join(folder, "missing.json")) }
    assert_match(/--verify can't read .*missing\.json.*No such file/, missing.message)
    directory = assert_raises(Holdup::UsageError) { verify(folder) }
    assert_match(/can't read/, directory.message)
  end

  def test_refuses_a_file_that_is_not_json
    ["", "{", "OK", "\xFF\xFE"].each do |text|
      error = assert_raises(Holdup::UsageError, text.inspect) { verify(file(text)) }
      assert_match(/it is not valid JSON/, error.message, text.inspect)
    end
  end

  def test_refuses_json_without_advice
    facts = %i[current from_s to_s].map { |key| ADVICE.except(key) }
    [*facts, ADVICE.merge(version: 2), ADVICE.merge(current: nil), [], 1, nil].each do |content|
      error = assert_raises(Holdup::UsageError, content.inspect) { verify(file(JSON.generate(content))) }
      assert_match(/has no advice to verify/, error.message, content.inspect)
    end
  end

  def test_reads_no_more_than_a_file_of_advice_can_have
    huge = file("#{JSON.generate(ADVICE)}#{" " * Holdup::Advise::VerifyCommand::LARGEST}")
    assert verify(huge)
    error = assert_raises(Holdup::UsageError) do
      verify(file("#{" " * Holdup::Advise::VerifyCommand::LARGEST}#{JSON.generate(ADVICE)}"))
    end
    assert_match(/not valid JSON/, error.message)
  end

  def test_says_why_the_old_recording_can_not_be_replayed
    error = assert_raises(Holdup::Error) { verify(file(JSON.generate(ADVICE)), store: store(minutes: 0)).run }
    assert_match(/can't be replayed any more: it is gone; .* kept for 14 days/, error.message)
  end

  def test_names_the_problems_of_the_old_recording
    error = assert_raises(Holdup::Error) { verify(file(JSON.generate(ADVICE)), store: store(minutes: 3)).run }
    assert_match(/can't be replayed any more: .*few unit samples/, error.message)
  end

  private

  def file(text)
    File.join(folder, "advice.json").tap { |path| File.binwrite(path, text) }
  end

  def store(minutes:)
    path = File.join(folder, "store.sqlite3")
    store = Holdup::Store.open(path)
    store.commit(SampleWindows.new(minutes:).to_a, {})
    store.close
    path
  end

  def verify(file, **)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {},
      clock: CommandLine::Still.new(now_s: NOW_S))
    Holdup::Advise::VerifyCommand.new(console:, file:, to_s: NOW_S, **)
  end
end

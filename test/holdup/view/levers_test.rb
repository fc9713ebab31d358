# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/servers/puma/levers"
require "holdup/agent/servers/sidekiq/levers"

# How something of a server is changed is recorded in English; reports in another language tell it in theirs.
class Holdup::View::LeversTest < Minitest::Test
  JA = Holdup::View::Words.new("ja")
  PROSE = /\b(?:then|restart|adds|takes|wait|share|start|or|one|step|live|environment|line)\b/
  SERVERS = File.expand_path("../../../lib/holdup/agent/servers", __dir__)

  def hints
    levers = [Holdup::Servers::Puma::Levers, Holdup::Servers::Sidekiq::Levers]
    found = levers.flat_map { |kind| kind.constants.map { |name| kind.const_get(name) } }
    written = Dir["#{SERVERS}/{unicorn,pitchfork}.rb"].flat_map { |file|
      joined = File.read(file).gsub(/" \\\n\s*"/, "")
      joined.scan(/"([^"]*SIG[^"]*)"/).flatten
    }
    [*found.flat_map { |hint| hint.is_a?(Hash) ? hint.values : hint }, *written, "command line",
      "environment WEB_CONCURRENCY"]
  end

  def test_recorded_english_is_shown_in_japanese
    assert_operator hints.size, :>=, 12
    hints.each { |hint| refute_match PROSE, JA.lever(hint).gsub(/\S+\.\S+|\w+!? true|start_\w+/, ""), hint }
  end

  def test_what_is_to_be_written_stays
    assert_equal "threads 5, 5, その後に再起動（マスターに SIGUSR2）",
      JA.lever("threads 5, 5, then restart (SIGUSR2 to the master)")
    assert_equal "環境変数 RAILS_MAX_THREADS", JA.lever("environment RAILS_MAX_THREADS")
    assert_equal "config/puma.rb:12", JA.lever("config/puma.rb:12")
    assert_nil JA.lever(nil)
  end

  def test_facts_of_a_jit_are_shown_in_japanese
    assert_equal "既定値と推定", JA.jit_fact("assumed default")
    assert_equal "rails", JA.jit_fact("rails")
    assert_equal "parent", Holdup::View::Words.new("en").jit_fact("parent")
  end

  def test_english_stays_as_it_was_recorded
    assert_equal "workers N, then restart", Holdup::View::Words.new("en").lever("workers N, then restart")
  end
end

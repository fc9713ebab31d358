# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/advice_answers"
require_relative "../../../../support/played_recording"

class Holdup::Advise::AdviceTable::PoolsTest < Minitest::Test
  one_ruby

  Sizing = Holdup::Advise::Sizing

  # The busiest pool has too few threads for its part of the mix.
  def self.advised
    @advised ||= begin
      capsules = PlayedRecording.capsules
      objective = Sizing::Objective.new(name: :throughput)
      capsules.recommendation(limits: capsules.limits, objective:, units: 2000)
    end
  end

  def advised = self.class.advised

  def section(recommendation = advised, language: "en")
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceTable::Pools.new(recommendation&.call, words:).section
  end

  def test_what_each_pool_gets_done
    assert_equal [:change, [3, 2]], [advised.verdict, advised.now.caps]
    mail, reports = section.rows
    assert_equal ["mail", "3 -> #{advised.best.candidate.caps.first}"], mail.first(2)
    assert_equal %w[reports 2], reports.first(2)
    more, less = [mail, reports].map { |row| row[2].split(" -> ").map(&:to_f) }
    assert_operator more[1], :>, 1.5 * more[0]
    assert_operator less[1], :<, less[0]
    assert_match(/GVL を共有.*GVL 待ち/m, [section(language: "ja").title, *section(language: "ja").notes].join)
  end

  def test_for_programs
    json = AdviceAnswers.json(advised)
    best = advised.best.candidate
    assert_equal [{name: "mail", threads: [3, best.caps.first]}, {name: "reports", threads: [2, 2]}],
      json[:pools].map { |pool|
        {name: pool[:name],
         threads: pool.values_at(:current, :best).map { |side| side[:threads] }}
      }
    assert_operator json[:pools][1][:best][:stalled_ns], :>, json[:pools][1][:current][:stalled_ns]
    assert_equal [2], json[:best][:other_pool_threads]
  end

  # A job runner in a web server: at the peak, and what is asked about first.
  def test_requests_and_jobs
    found = PlayedRecording.mixed(kind: :job, minutes: 3).then { |one|
      one.recommendation(limits: one.limits, units: 1000)
    }
    assert_equal [%w[default 3], %w[web 5]],
      section(found).rows.map { |row| row.first(2).map { |cell| cell[/\A\w+/] } }
    sentence = /\AFor all processes of a host, at the peak\. .*Requests and jobs share these processes/
    assert_match(sentence, section(found).notes.first)
    assert_match(/リクエストとジョブは同じプロセス/, section(found, language: "ja").notes.first)
    json = AdviceAnswers.json(found)
    names = json[:pools].map { |pool| pool[:name] }
    assert_equal [[5], %w[default web]], [json[:current][:concurrent_threads], names]
  end

  def test_nothing_with_one_pool
    assert_nil section(nil)
    one = PlayedRecording.new(minutes: 20).recommendation
    assert_nil section(one)
  end
end

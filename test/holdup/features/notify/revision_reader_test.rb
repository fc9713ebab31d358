# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What it finds in windows is in send_command_test.rb.
class Holdup::Notify::RevisionReaderTest < Minitest::Test
  START_S = SampleWindows::START_S
  UNITS = SampleWindows::STOREFRONT.first(1).to_h { |name, shape| [name, shape.merge(units: 10)] }.freeze

  def setup
    @store = Holdup::Store.open("memory:")
  end

  def teardown = @store.close

  def deploy(revision, from:, minutes:, app: nil, kind: :request)
    setting = SampleWindows::SETTING.merge({"app" => app, "revision" => revision}.compact)
    sample = SampleWindows.new(minutes:, units: UNITS, seed: from, setting:, kind:)
    @store.commit(sample.to_a.map { |one| one.with(start_s: one.start_s + from * 60) }, {})
  end

  def compared(minute, known: [])
    words = Holdup::View::Words.new("en")
    Holdup::Notify::RevisionReader.new(@store, now_s: START_S + minute * 60, words:, known:).call
      .map { |facts| [facts.app, facts.before, facts.revision, facts.look_s] }
  end

  def test_nothing_to_compare
    assert_empty compared(60)
    deploy("a", from: 0, minutes: 60)
    deploy(nil, from: 60, minutes: 60)
    assert_empty compared(120)
  end

  def test_each_application_has_its_own_revisions
    %w[shop blog].each do |app|
      deploy("#{app}1", from: 0, minutes: 40, app:)
      deploy("#{app}2", from: 40, minutes: 40, app:)
    end
    assert_equal [["blog", "blog1", "blog2", 1800], ["shop", "shop1", "shop2", 1800]], compared(80).sort
  end

  def test_a_revision_that_comes_back_is_compared_with_the_one_that_it_replaces
    deploy("a", from: 0, minutes: 40)
    deploy("b", from: 40, minutes: 40)
    deploy("a", from: 80, minutes: 40)
    assert_equal [[nil, "b", "a", 1800]], compared(120)
  end

  def test_jobs_are_compared_where_there_are_no_requests
    deploy("a", from: 0, minutes: 40, kind: :job)
    deploy("b", from: 40, minutes: 40, kind: :job)
    assert_equal [[nil, "a", "b", 1800]], compared(80)
  end
end

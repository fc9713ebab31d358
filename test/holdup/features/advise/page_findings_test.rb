# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::PageFindingsTest < Minitest::Test
  Finding = Holdup::Advise::Rules::Finding

  # A page as far as its findings ask it.
  class Shown
    include Holdup::Advise::PageFindings

    public :findings, :found_by, :first_action

    attr_reader :summary

    def initialize
      @words = Holdup::View::Words.new
      sample = SampleWindows.new(minutes: 1)
      @summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    end

    def word(key, **facts) = @words.call(key, **facts)
  end

  def page = @page ||= Shown.new

  # Rules that find this, and how often they were asked.
  def rules(*findings)
    @asked = 0
    findings.map do |finding|
      lambda do |_situation|
        @asked += 1
        finding
      end
    end
  end

  def convoy(weight: 0.2, **facts)
    shares = {caused_share: 0.5, count_share: 0.1}
    Finding.new(rule: :convoy, weight:,
      facts: {name: "Reports#sales", query: "report --full", **shares, **facts})
  end

  def test_the_most_important_comes_first
    found = page.findings("Findings", rules(convoy(weight: 0.1), nil, convoy(weight: 0.3, name: "Worst#all")))
    assert_equal "Findings", found.title
    assert_equal 2, found.items.size
    assert_includes found.items.first.what, "Worst#all"
  end

  def test_says_that_nothing_was_found
    found = page.findings("Findings", rules(nil))
    assert_empty found.items
    refute_empty found.none
  end

  def test_rules_are_asked_once
    asked = rules(convoy)
    2.times { page.found_by(asked) }
    assert_equal 1, @asked
  end

  # @return [Holdup::View::Blocks::Action, nil]
  def action(finding, about: [])
    Holdup::Features.stub(:rules, rules(finding)) do
      page.first_action(about:) { |name| [Holdup::View::Blocks::Link.new(text: name, page: "unit")] }
    end
  end

  def test_the_first_action_can_be_copied_with_what_it_is_about
    found = action(convoy, about: ["Requests wait."])
    assert_includes found.what, "Reports#sales"
    assert_includes found.copy, found.text
    assert_operator found.copy, :end_with?, "\n\nRequests wait."
    assert_equal ["Reports#sales", "unit"], [found.links.first.text, found.links.first.page]
  end

  def test_the_what_if_of_a_finding_fills_in_the_form
    links = [convoy(query: "whatif --threads 3 --load x1.5 --slo p95"), convoy].map { |finding|
      @page = nil
      action(finding).links.last
    }
    assert_equal %w[advice advice], links.map(&:page)
    assert_equal [{"if_threads" => "3", "if_load" => "x1.5"}, {}], links.map(&:params)
  end

  def test_nothing_to_do
    assert_nil action(nil)
  end
end

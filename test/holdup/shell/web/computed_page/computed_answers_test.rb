# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::Pages::ComputedAnswersTest < Minitest::Test
  ProgressText = Holdup::Web::ComputedPage::ComputedAnswers::ProgressText
  Wait = Holdup::Web::Computations::Wait
  Computations = Holdup::Web::Computations

  # What the dashboard's route brings along.
  class Route
    include Holdup::Web::ComputedPage::ComputedAnswers

    public :computed, :later

    Context = Data.define(:computations)
    Request = Data.define(:head) do
      def head? = head
    end
    Response = Struct.new(:status, :headers)

    attr_reader :context, :query, :request, :response, :words, :computed_s

    def initialize(computations, query: {}, head: false)
      @context = Context.new(computations:)
      @query = query
      @request = Request.new(head:)
      @response = Response.new(200, {})
      @words = Holdup::View::Words.new
    end
  end

  # A page that answers with the number of its computations so far.
  class Counted < Holdup::Web::ComputedPage
    class << self
      attr_accessor :times

      def compute(step:, **)
        step.call([:step_reading, {}])
        self.times += 1
        "answer #{times}"
      end
    end

    attr_reader :shown, :version

    def initialize(version) = @version = version

    def question(name) = Holdup::Queries::Question.new(command: name, arguments: {"since" => "1h"})

    private

    def content(result, **) = result.value
  end

  def setup
    Counted.times = 0
    @clock = HandClock.new
    @computations = Computations.new(clock: @clock, patience_s: nil)
  end

  def compute(version: 1, ending: nil, computations: @computations, **options)
    @page = Counted.new(version)
    @route = Route.new(computations, **options)
    @route.computed(@page, "compare", ending)
  end

  def test_a_page_that_needs_no_computation_is_left_alone
    page = Object.new
    assert_nil Route.new(@computations).computed(page, "health", nil)
    assert_equal 0, Counted.times
  end

  def test_computes_the_answer_and_shows_it
    assert_nil compute
    assert_equal "answer 1", @page.shown
    assert_nil compute
    assert_equal "answer 1", @page.shown
    assert_equal 1, Counted.times
  end

  # The page says "computed=..." in its links, so that the file has the figures that the reader sees.
  def test_a_file_is_of_the_answer_that_its_page_shows
    compute
    computed_s = @route.computed_s.to_s
    @clock.monotonic_ns += 60 * 1_000_000_000
    compute(version: 2, ending: "json", query: {"computed" => computed_s})

    assert_equal "answer 1", @page.shown
    assert_equal 1, Counted.times
  end

  def test_a_link_to_an_answer_that_is_gone_gets_a_new_one
    compute(ending: "json", query: {"computed" => "17"})

    assert_equal "answer 1", @page.shown
    refute_equal 17, @route.computed_s
  end

  def test_a_head_request_computes_nothing
    wait = compute(head: true)

    assert_instance_of Wait, wait
    assert_nil @page.shown
    assert_equal 0, Counted.times
  end

  def test_a_head_request_gets_what_is_kept
    compute
    assert_nil compute(head: true)
    assert_equal "answer 1", @page.shown
  end

  def test_a_full_queue_is_a_wait
    full = Computations.new(clock: @clock, patience_s: 0.001, room: 0)
    gate = Queue.new
    another = Holdup::Queries::Question.new(command: "compare", arguments: {"since" => "2h"})
    full.ask(another, 1) { gate.pop }
    wait = compute(computations: full)

    assert_predicate wait, :full?
    assert_nil @page.shown
  ensure
    gate&.close
  end

  def wait(ahead: 0, elapsed_s: 1.2, step: [:step_reading, {}], expected_s: nil)
    Wait.new(ahead:, elapsed_s:, step:, expected_s:)
  end

  def test_a_program_is_asked_to_come_back
    route = Route.new(@computations)
    text = route.later(wait(expected_s: 20.0))

    assert_equal 503, route.response.status
    assert_equal "4", route.response.headers["retry-after"]
    assert_match(%r{\Atext/plain}, route.response.headers["content-type"])
    assert_equal "Reading the recording. 2 s so far. The last time it took 20 s.\n", text
  end

  def sentences(**options)
    ProgressText.new(wait(**options), page: nil, words: Holdup::View::Words.new).sentences
  end

  def test_says_how_long_it_takes_for_the_first_time_and_again
    assert_match(/\A2 s so far\. The time depends on the recording/, sentences.last)
    assert_equal "2 s so far. The last time it took 31 s.", sentences(expected_s: 30.1).last
    assert_match(/\A0 s so far/, sentences(elapsed_s: nil).last)
    assert_match(/\A2 min so far/, sentences(elapsed_s: 118.0).last)
  end

  def test_before_its_turn_it_says_how_many_are_ahead
    assert_equal ["Waiting in the queue. Calculations ahead of this one: 1,000."],
      sentences(ahead: 1000, elapsed_s: nil)
    assert_equal ["Waiting in the queue. Calculations ahead of this one: 2.", "About 60 s left."],
      sentences(ahead: 2, elapsed_s: nil, expected_s: 20.0)
  end

  def test_estimates_no_time_when_the_queue_is_full
    found = sentences(ahead: nil, elapsed_s: nil, expected_s: 20.0)

    assert_equal 1, found.size
    assert_match(/\AToo many calculations are waiting/, found.first)
  end

  def test_the_step_has_its_figures
    assert_equal "Checking the recording (12,345 requests and jobs).",
      sentences(step: [:step_counting, {units: 12_345}]).first
    assert_equal "Checking the recording (1 request or job).",
      sentences(step: [:step_counting, {units: 1}]).first
    assert_equal "Reading the recording.", sentences(step: nil).first
  end

  def block(**options)
    ProgressText.new(wait(**options), page: "advice", words: Holdup::View::Words.new).block
  end

  def test_the_block_of_a_page_says_what_appears_and_how_far_it_is
    found = block(elapsed_s: 5.0, expected_s: 20.0)

    assert_match(/The advice appears here by itself/, found.lead)
    assert_equal 0.25, found.share
    assert_equal "wait", found.view
    assert_equal 3, found.again_s
  end

  def test_a_share_is_never_more_than_all
    assert_equal 1.0, block(elapsed_s: 50.0, expected_s: 20.0).share
    assert_nil block(expected_s: nil).share
    assert_nil block(elapsed_s: nil, expected_s: 20.0).share
  end
end

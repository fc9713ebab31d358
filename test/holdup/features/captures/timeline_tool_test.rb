# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Captures::TimelineToolTest < Minitest::Test
  Answer = Data.define(:text, :failed)
  Tool = Data.define(:command)
  # Commands are not run; their words are kept.
  class Tools
    attr_reader :ran, :bounded_texts

    def initialize(kept: {}, text: "{}", failed: false)
      @kept = kept
      @answer = Answer.new(text:, failed:)
      @ran = []
      @bounded_texts = []
    end

    def captures = self

    def kept = @kept.values

    def find(id) = @kept[id]

    def run(words)
      @ran << words
      @answer
    end

    def bounded(answer)
      @bounded_texts << answer.text
      answer
    end

    def failed(text) = Answer.new(text:, failed: true)

    def answer(facts) = Answer.new(text: JSON.generate(facts), failed: false)
  end
  Header = Data.define(:pid, :process_name)
  Kept = Data.define(:id, :header, :events, :facts)
  KEPT = {"a-7" => Kept.new(id: "a-7", header: Header.new(pid: 7, process_name: "worker 0"), events: 3,
    facts: {}), "b-8" => Kept.new(id: "b-8", header: nil, events: nil, facts: {})}.freeze
  THREAD = {name: "srv 1", held_ns: 5, periods: [1], collections: [2]}.freeze
  DOCUMENT = {threads: [THREAD], frames: [1], stacks: [2], samples: [3], methods: [{method: "A#b"}]}.freeze

  def call(tools, **arguments)
    Holdup::Captures::TimelineTool.call(tools, Tool.new(command: %w[timeline]), **arguments)
  end

  def test_without_a_capture_it_lists_those_that_are_kept
    answer = JSON.parse(call(Tools.new(kept: KEPT)).text)
    assert_equal [["a-7", 7, "worker 0"], ["b-8", nil, nil]],
      answer["captures"].map { |one| one.values_at("id", "pid", "process") }
  end

  def test_a_request_needs_a_capture
    answer = call(Tools.new(kept: KEPT), unit: "caught")
    assert answer.failed
    assert_includes answer.text, "unit needs a capture"
  end

  # A path would open any file of this user.
  def test_only_a_kept_capture_is_read
    tools = Tools.new(kept: KEPT)
    answer = call(tools, capture: "/etc/passwd")
    assert_includes answer.text, 'no capture is called "/etc/passwd"'
    assert answer.failed
    assert_empty tools.ran
  end

  def test_a_capture_has_no_periods_and_stacks_unless_they_are_asked_for
    tools = Tools.new(kept: KEPT, text: JSON.generate(DOCUMENT))
    short = JSON.parse(call(tools, capture: "a-7").text, symbolize_names: true)
    assert_equal({threads: [{name: "srv 1", held_ns: 5}], methods: [{method: "A#b"}]}, short)
    assert_equal DOCUMENT, JSON.parse(call(tools, capture: "a-7", periods: true).text, symbolize_names: true)
    assert_equal [%w[timeline a-7 --export=json]], tools.ran.uniq
    assert_equal 1, tools.bounded_texts.size, "what was asked for whole may be too large"
  end

  def test_the_story_of_a_request_is_that_of_the_command
    tools = Tools.new(kept: KEPT, text: "a story")
    assert_equal "a story", call(tools, capture: "a-7", unit: "slowest").text
    assert_equal [%w[timeline a-7 --unit=slowest --full]], tools.ran
    assert_equal ["a story"], tools.bounded_texts
  end

  def test_a_command_that_fails_is_the_answer
    answer = call(Tools.new(kept: KEPT, text: "holdup: damaged", failed: true), capture: "a-7")
    assert_equal "holdup: damaged", answer.text
    assert answer.failed
  end
end

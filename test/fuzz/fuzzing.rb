# frozen_string_literal: true

# Cases from a seed, as many as there is time for. Each case has a Random of its own, so that one that fails
# can be repeated alone; the failure says how.
#
#   HOLDUP_FUZZ_CASES=1000000 HOLDUP_FUZZ_SEED=7 bin/test test/fuzz/segment_test.rb
module Fuzzing
  SEED = Integer(ENV.fetch("HOLDUP_FUZZ_SEED", "1"), 10)
  FIRST = Integer(ENV.fetch("HOLDUP_FUZZ_FIRST", "0"), 10)
  CASES = ENV["HOLDUP_FUZZ_CASES"]&.then { |text| Integer(text, 10) }
  # Of CPU time: input from outside must not keep a process busy.
  LONGEST_S = 5

  # @param few [Integer] cases in `bin/test`
  # @param thorough [Integer] cases in `bin/test --thorough`
  # @param nightly [Integer] cases in `bin/test --nightly`
  # @yieldparam input [HostileInput]
  # @yieldreturn [Object] what came of it
  # @return [Hash{Object => Integer}] how often
  def fuzz(few, thorough:, nightly: thorough)
    count = CASES || Thorough.turns(few, thorough:, nightly:)
    FIRST.upto(FIRST + count - 1).each_with_object(Hash.new(0)) do |number, outcomes|
      outcomes[one_case(number) { |input| yield input }] += 1
    end
  end

  private

  def one_case(number)
    began = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    outcome = yield HostileInput.new(Random.new((SEED << 40) + number))
    took_s = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - began
    assert_operator took_s, :<, LONGEST_S, "#{again(number)} took long"
    outcome
  rescue Minitest::Assertion => failure
    raise failure.class, "#{failure.message}\n#{again(number)}", failure.backtrace
  rescue => error
    flunk "#{again(number)}\n#{error.full_message(highlight: false)}"
  end

  def again(number)
    "HOLDUP_FUZZ_SEED=#{SEED} HOLDUP_FUZZ_FIRST=#{number} HOLDUP_FUZZ_CASES=1 repeats it"
  end

  # What comes from outside: headers, parameters, names, bytes.
  class HostileInput
    PIECES = ["", " ", "\t", "\n", "\r\n", "\0", "\e[31m", "\u200b", "\u202e", "\xFF", "\xE3\x81", "\u3042",
      "\u{1F600}", "é", "'", '"', "`", "\\", "/", "..", "%", "%s", "%{name}", "{}", "[]", "<", ">", "&amp;",
      "<script>", "--", ";", ":", "|", "@", "#", "=", ",", "t=", "-", "+", "0x", "1e9", "NaN", "Infinity",
      "nil", "*", "?", "(a+)+$", "OR 1=1", "GET ", "Job#perform", "\u0300" * 20, "a" * 300].freeze
    NUMBERS = [0, 1, -1, 255, 1 << 31, 1 << 32, 1 << 53, 1 << 63, (1 << 64) - 1, 10**30, 1_700_000_000].freeze

    attr_reader :random

    def initialize(random)
      @random = random
    end

    def one_of(values) = values[@random.rand(values.size)]

    def chance?(share) = @random.rand < share

    # @return [String] of any encoding, often not valid
    def text
      case @random.rand(6)
      when 0 then @random.bytes(@random.rand(40))
      when 1 then number
      when 2 then one_of(PIECES).b
      else Array.new(@random.rand(1..6)) { one_of(PIECES).b }.join.force_encoding(encoding)
      end
    end

    # @return [String] like a number
    def number
      text = (one_of(NUMBERS) + @random.rand(-2..2)).to_s.b
      text << "." << @random.rand(1_000_000).to_s if chance?(0.3)
      text.insert(@random.rand(text.bytesize + 1), one_of(PIECES).b) if chance?(0.2)
      text
    end

    private

    def encoding
      one_of([Encoding::UTF_8, Encoding::UTF_8, Encoding::BINARY, Encoding::US_ASCII, Encoding::ISO_8859_1])
    end
  end
end

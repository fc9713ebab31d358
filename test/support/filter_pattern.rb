# frozen_string_literal: true

require "json"
require "strscan"

# CloudWatch Logs' filter patterns for JSON events ("Filter and pattern syntax"), as far as ours use them:
# selectors of the root's members, = and != with texts and *, comparisons with numbers, &&, || and
# parentheses.
class FilterPattern
  InvalidPattern = Class.new(StandardError)
  LIMIT = 1024 # characters of a pattern
  OPERATORS = {"=" => :==, "!=" => :!=, "<" => :<, "<=" => :<=, ">" => :>, ">=" => :>=}.freeze

  # @param text [String] "{ $.event = "stats" }"
  # @raise [InvalidPattern]
  def initialize(text)
    raise InvalidPattern, "longer than #{LIMIT}" if text.size > LIMIT
    @scan = StringScanner.new(text)
    expect(/\{/)
    @condition = any
    expect(/\}/)
    raise InvalidPattern, "more behind the pattern" unless @scan.eos?
  end

  # @param line [String] a log event
  # @return [Boolean]
  def match?(line)
    event = JSON.parse(line)
    event.is_a?(Hash) && @condition.call(event)
  rescue JSON::ParserError
    false
  end

  private

  def any
    several(/\|\|/, :any?) { several(/&&/, :all?) { one } }
  end

  def several(sign, how)
    parts = [yield]
    parts << yield while skip(sign)
    ->(event) { parts.public_send(how) { |part| part.call(event) } }
  end

  def one
    return any.tap { expect(/\)/) } if skip(/\(/)
    name = expect(/\$\.[A-Za-z0-9_-]+/).delete_prefix("$.")
    operator = OPERATORS.fetch(skip(/[<>!]?=|<|>/) || raise(InvalidPattern, "no operator at #{@scan.pos}"))
    comparison(name, operator, expect(/"[^"]*"|\*|[A-Za-z0-9_.+-]+/))
  end

  # A member that is not there never matches, an object or array neither.
  def comparison(name, operator, written)
    wanted = written.start_with?('"') ? written[1..-2] : Float(written, exception: false) || written
    lambda do |event|
      value = event[name]
      next false unless value.is_a?(Numeric) || value.is_a?(String)
      next operator == :== if written == "*"
      value.is_a?(String) == wanted.is_a?(String) && value.public_send(operator, wanted)
    end
  end

  def skip(pattern)
    @scan.skip(/\s+/)
    @scan.scan(pattern).tap { @scan.skip(/\s+/) }
  end

  def expect(pattern)
    skip(pattern) || raise(InvalidPattern, "no #{pattern.source} at #{@scan.pos}")
  end
end

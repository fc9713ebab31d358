# frozen_string_literal: true

require "test_helper"

# A number with a name has one home. Two constants of the same name and value say the same twice, until one
# of them is changed.
class SharedNumbersTest < Minitest::Test
  ROOT = File.expand_path("..", __dir__)
  # Constants of whole numbers, fractions and products of them.
  NAME = /^ *(?:[A-Z]\w*::)*([A-Z][A-Z0-9_]+)/
  VALUE = /(-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?(?: (?:\*|<<) [\d_]+)*)/
  NUMBER = /#{NAME} = #{VALUE} *(?:#.*)?$/
  # Words that mean something only within their class: how many, how long, how much of what it is about.
  LOCAL = %w[CLOSE ENOUGH EVERY_NS FEWEST FEWEST_UNITS GROWTH LIMIT LONGER LONGEST LONGEST_S LONG_NS
    MOST MOST_BYTES MUCH NAME PATIENCE_S PAUSE_S PERCENTILE REPLAYS ROUNDS ROWS SHARE SHOWN SINCE_S STEP_S
    TIMES TOLERANCE TRIES UNITS WORTH].freeze
  # Constants of one name that mean different things, and what they mean.
  DIFFERENT = {
    "ANSWER_S" => "time-outs of a database server and of ClickHouse",
    "CLOSED" => "flags of a segment and of a capture, whose layouts change separately",
    "FORK_PATIENCE_S" => "a fork may wait so long for the ticker, and so long for the supervisor",
    "HEAD" => "columns of a histogram in ClickHouse, and of a row of weights",
    "HEADER_BYTES" => "of a segment and of a capture, whose layouts change separately",
    "KEEP_S" => "of samples of single requests and jobs, and of what is known of a collector",
    "ROUNDING" => "what is left of adding up other numbers each time",
    "SAMPLE" => "rows from which two databases estimate the size of all",
    "SCHEMA" => "versions of the JSON of different commands",
    "SERVED" => "of a replay's requests, and of a load generator's",
    "STARTS" => "starts in one query to a SQL database, and to ClickHouse",
    "THRESHOLD" => "calls before YJIT compiles, and before ZJIT does",
    "VERSION" => "of different formats"
  }.freeze

  def test_a_named_number_has_one_home
    allowed = LOCAL + DIFFERENT.keys
    twins = numbers.reject { |(name, _), places| places.one? || allowed.include?(name) }
    assert_empty twins.map { |(name, value), places| "#{name} = #{value}: #{places.join(", ")}" },
      "give each of them one home, or say in DIFFERENT why they are two"
  end

  def test_what_is_listed_as_different_is_there_twice
    repeated = numbers.select { |_, places| places.size > 1 }.keys.map(&:first)
    assert_empty [*LOCAL, *DIFFERENT.keys] - repeated
  end

  def test_finds_a_number_that_is_named_twice
    found = numbers("a.rb" => "  FULL = 0.85\n", "b.rb" => "  FULL = 0.850 # of it\n  DAY_S = 24 * 3600\n")
    assert_equal({["FULL", 0.85] => %w[a.rb:1 b.rb:1], ["DAY_S", 86_400] => %w[b.rb:2]}, found)
  end

  private

  # @return [Hash{Array(String, Numeric) => Array<String>}] name and value => places
  def numbers(sources = files)
    found = Hash.new { |all, number| all[number] = [] }
    sources.each do |path, text|
      text.each_line.with_index(1) do |line, number|
        name, expression = line.match(NUMBER)&.captures
        found[[name, value(expression)]] << "#{path}:#{number}" if name
      end
    end
    found
  end

  def files
    paths = Dir[File.join(ROOT, "lib/**/*.rb")].sort
    paths.to_h { |path| [path.delete_prefix("#{ROOT}/"), File.read(path)] }
  end

  # @param expression [String] "0.85", "24 * 3600", "1 << 20"
  def value(expression)
    first, *rest = expression.split
    rest.each_slice(2).reduce(number(first)) do |product, (operator, other)|
      product.public_send(operator, number(other))
    end
  end

  def number(text) = text.match?(/[.e]/) ? Float(text) : Integer(text.delete("_"), 10)
end

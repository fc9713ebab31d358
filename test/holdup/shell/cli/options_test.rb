# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::OptionsTest < Minitest::Test
  Option = Holdup::Queries::Option
  DECLARED = [
    Option.whole("--limit N", 1..99, "rows", default: 10),
    Option.switch("--full", "everything"),
    Option.text("--store URL", "where", purpose: :selection)
  ].freeze

  def options(**more) = Holdup::CLI::Options.new("holdup try [options]", DECLARED, **more)

  def parse(*argv, **more) = options(**more).parse(argv, now_s: 1_790_000_000)

  def refused(*argv, **more)
    error = assert_raises(Holdup::UsageError) { parse(*argv, **more) }
    [error.message, error.advice].join(" ")
  end

  def test_values_by_key_and_texts_by_option
    given = parse("--limit", "7", "--full")
    assert_equal({limit: 7, full: true}, given.values)
    assert_equal "7", given.texts.fetch(DECLARED.first)
    assert_equal({limit: 10}, options.defaults)
  end

  def test_a_value_may_follow_an_equals_sign
    assert_equal({limit: 7}, parse("--limit=7").values)
    assert_equal({store: "postgres://h/db?a=b"}, parse("--store=postgres://h/db?a=b").values)
  end

  def test_an_option_is_never_guessed_but_the_nearest_is_named
    assert_match(/try has no option --limi.*--limit/, refused("--limi", "7"))
    assert_match(/holdup try --help/, refused("--xyzzy"))
  end

  def test_a_missing_value_and_an_argument_too_many
    assert_match(/--limit needs a value/, refused("--limit"))
    assert_match(/try takes no argument "orders"/, refused("orders"))
  end

  def test_arguments_that_are_no_text
    assert_match(/is not valid UTF-8 text/, refused("--store", "a\xff"))
  end

  def test_options_of_the_program_after_it_are_left_alone
    given = parse("--full", "ruby", "--limit", "3", rest: :program)
    assert_equal({full: true, program: %w[ruby --limit 3]}, given.values)
    bytes = parse("ruby", "\xff", rest: :program)
    assert_equal ["ruby", "\xff"], bytes.values.fetch(:program)
  end

  def test_a_separator_ends_the_options
    given = parse("--full", "--", "--limit=3", "x", rest: :program)
    assert_equal %w[--limit=3 x], given.values.fetch(:program)
    assert_equal %w[ruby -- x], parse("ruby", "--", "x", rest: :program).values.fetch(:program)
  end

  def test_mixed_options_may_follow_the_arguments
    given = parse("one", "--limit=3", "two", rest: :names, mixed: true)
    assert_equal({limit: 3, names: %w[one two]}, given.values)
  end

  def test_help_is_the_usage_the_options_and_the_text
    assert parse("--help", "--limit", "7").help
    help = options(text: "See docs.").help
    assert help.start_with?("Usage: holdup try [options]\n"), help
    %w[--limit --full --store --help].each { |flag| assert_includes help, flag }
    assert_operator help.index("See docs."), :<, help.index("--help")
    refute parse.help
  end

  def test_those_that_choose_the_measurements_come_first_in_suggested_commands
    assert_equal %w[store limit full], options.ordered.map(&:name)
    assert_equal %w[full], options.only("full", "lang").map(&:name)
  end

  # The second that is passing belongs to the span.
  def test_a_span_up_to_now_has_this_second
    assert_equal 101, Holdup::CLI::Options.until_now(100)
  end
end

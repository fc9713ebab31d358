# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::OptionTest < Minitest::Test
  Option = Holdup::Queries::Option
  Types = Holdup::Queries::OptionTypes
  Selection = Holdup::Queries::SelectionOptions

  def test_key_is_the_name_in_ruby_unless_it_is_given
    assert_equal :db_connections, Option.text("--db-connections N", "some").key
    assert_equal :factor, Option.text("--load FACTOR", "some", key: :factor).key
  end

  def test_reads_a_value_and_names_itself_in_the_refusal
    option = Option.whole("--limit N", 1..9, "rows")
    assert_equal 7, option.read("7", now_s: 0)
    error = assert_raises(Holdup::UsageError) { option.read("10", now_s: 0) }
    assert_match(/\A--limit can't be "10"/, error.message)
    error = assert_raises(Holdup::UsageError) { option.read("10", now_s: 0, called: "limit") }
    assert_match(/\Alimit can't be "10"/, error.message)
  end

  def test_schema_has_the_type_the_description_and_the_allowed_values
    option = Option.choice("--by WHAT", %i[name host], "rows", tool: "what a row is")
    assert_equal({type: "string", description: "what a row is", enum: %w[name host]}, option.schema)
    assert_equal({type: "integer", description: "how many", minimum: 1},
      Option.whole("--n N", 1..9, "rows", tool: "how many").schema)
  end

  def test_means_the_same_only_with_the_same_purpose
    of_data = Selection[:queue]
    of_advice = Option.text("--queue NAME", "to size", purpose: :question)
    assert of_data.same?(Selection[:queue, "another help"])
    refute of_data.same?(of_advice), "another purpose"
    refute Option.text("--out FILE", "x").same?(Option.text("--out FILE", "x")), "an output is not repeated"
  end

  def test_types_read_what_people_write
    {
      Types::Switch.new(:json) => ["true", :json],
      Types::Choices.new(%i[a b]) => ["b, a", %i[b a]],
      Types::WholeList.new(1..9) => ["3,1,3", [1, 3]],
      Types::WholeSequence.new(1..9) => ["3,1", [3, 1]],
      Types::Factor.new => ["x1.5", 1.5],
      Types::WholeSeconds.new(1) => ["20ms", 1],
      Types::Length.new => ["2h", 7200],
      Types::TimeSlice.new => ["10ms", 10_000_000],
      Types::PointInTime.new => ["1h", -3600],
      Types::Texts.new => ["on, off", %w[on off]]
    }.each { |type, (text, value)| assert_equal value, type.read("--x", text, 0), type.inspect }
  end

  def test_a_repeated_option_collects_and_parts_of_the_origin_are_one_value
    repeated = Types::Repeated.new(Types::Text.new)
    assert_equal %w[a b], repeated.add(repeated.add(nil, "a"), "b")
    app = Types::OriginPart.new(:app).add(nil, "shop")
    assert_equal Holdup::Queries::Origin.new(app: "shop", host: "web-*"),
      Types::OriginPart.new(:host).add(app, "web-*")
  end

  def test_a_suggested_command_begins_with_what_chooses_the_measurements
    assert_equal [0, 1, Selection::ALL.size], %w[--since --until --slo].map { |flag|
      purpose = (flag == "--slo") ? :question : :selection
      Selection.place(Option.text("#{flag} X", "x", purpose:))
    }
  end
end

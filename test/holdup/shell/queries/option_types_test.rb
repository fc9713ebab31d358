# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::OptionTypesTest < Minitest::Test
  Types = Holdup::Queries::OptionTypes
  NOW_S = 1_790_000_000

  # Type => {text => value}; nil: it is refused.
  READ = {
    Types::Text.new => {"a b" => "a b"},
    Types::Choice.new(known: %i[request job]) => {"job" => :job, "task" => nil},
    Types::Choices.new(known: %i[wall cpu gc]) => {"cpu, wall" => %i[cpu wall], "cpu,x" => nil, "" => nil},
    Types::Whole.new(range: 1..16) => {"16" => 16, "17" => nil, "1.5" => nil, "" => nil},
    Types::WholeList.new(range: 1..16) => {"5,3,5" => [3, 5], "0,3" => nil},
    Types::WholeSequence.new(range: 1..16) => {"5,3,5" => [5, 3, 5], "a" => nil},
    Types::Positive.new => {"0.5" => 0.5, "0" => nil, "-1" => nil},
    Types::Share.new => {"45%" => 0.45, "0.45" => 0.45, "100%" => nil},
    Types::Duration.new => {"12ms" => 12_000_000, "1.5s" => 1_500_000_000, "12" => nil},
    Types::WholeSeconds.new(least: 2) => {"90s" => 90, "100ms" => 2},
    Types::Seconds.new(range: 1..60) => {"30" => 30, "61" => nil},
    Types::Length.new => {"40m" => 2400, "10s" => nil},
    Types::PointInTime.new => {"1h" => NOW_S - 3600, "now" => NOW_S, "soon" => nil},
    Types::Texts.new => {"on, off" => %w[on off]}
  }.freeze

  READ.each do |type, cases|
    define_method(:"test_#{type.class.name[/\w+\z/]}_reads_and_refuses") do
      cases.each do |text, value|
        if value.nil?
          assert_raises(Holdup::UsageError, text.inspect) { type.read("--this", text, NOW_S) }
        else
          assert_equal value, type.read("--this", text, NOW_S), text.inspect
        end
      end
    end
  end

  def test_an_optional_value_that_is_left_out_is_empty
    assert_equal "", Types::Text.new.read("--this", nil, NOW_S)
  end

  def test_a_switch_stands_for_its_value
    assert_equal false, Types::Switch.new(value: false).read("--no-this", nil, NOW_S)
  end

  def test_the_last_value_counts
    assert_equal 3, Types::Whole.new(range: 1..9).add(2, 3)
  end

  def test_a_repeated_option_adds_up
    type = Types::Repeated.new(type: Types::Whole.new(range: 1..9))
    assert_equal [2, 3], type.add(type.add(nil, 2), type.read("--this", "3", NOW_S))
    assert_equal({type: "array", items: {type: "integer", minimum: 1}}, type.schema)
  end

  def test_parts_of_an_origin_are_one_origin
    host = Types::OriginPart.new(part: :host)
    role = Types::OriginPart.new(part: :role)
    origin = role.add(host.add(nil, "web-1"), "web")
    assert_equal %w[web-1 web], origin.to_h.values_at(:host, :role)
  end

  def test_schemas_say_what_is_read
    assert_equal({type: "string", enum: %w[request job]}, Types::Choice.new(known: %i[request job]).schema)
    assert_equal({type: "boolean"}, Types::Switch.new(value: true).schema)
    assert_equal({type: "string"}, Types::Duration.new.schema)
  end
end

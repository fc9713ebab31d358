# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration/types"
require "logger"

class Holdup::ConfigurationKeys::TypesTest < Minitest::Test
  Types = Holdup::ConfigurationKeys::Types

  # What text of the environment stands for; nil: nothing.
  PARSED = {
    Types::Boolean.new => {"YES" => true, "0" => false, "maybe" => nil},
    Types::Whole.new(1..9) => {"7" => 7, "07" => 7, "7.5" => nil, "x" => nil},
    Types::Seconds.new(1..60) => {"1.5" => 1.5, "soon" => nil},
    Types::PriceList.new => {"vcpu=0.04,gb=0.005" => {vcpu: 0.04, gb: 0.005}, "vcpu=x" => {vcpu: nil}},
    Types::Milliseconds.new(10..60_000) => {"off" => 0, "250" => 250, "x" => nil},
    Types::Paths.new => {"/up, /assets/*,," => %w[/up /assets/*], "" => []},
    Types::Choice.new(%i[json emf]) => {"EMF" => :emf, "xml" => nil},
    Types::Subset.new(%i[sql redis]) => {"off" => [], "sql, Redis" => %i[sql redis]},
    Types::Switches.new(%i[path]) => {"path=off" => {path: false}, "Path=ON" => {path: true}, "off" => nil},
    Types::Jit.new => {"on" => :on, "mem_size=64,stats=quiet" => {mem_size: 64, stats: :quiet},
                       "mem_size=64,more=1" => nil, "fast" => nil},
    Types::Target.new => {"/var/log/h.log" => "/var/log/h.log", "off" => IO::NULL, "syslog" => nil},
    Types::StatsLog.new => {"stdout" => :stdout, "to=stdout,every=60" => {to: :stdout, every: 60.0},
                            "every=x" => nil, "to=stdout,every=60,every=5" => nil},
    Types::WebAuth.new => {"none" => :none, "ops:se:cret" => {username: "ops", password: "se:cret"},
                           "secret" => :unreadable}
  }.freeze

  PARSED.each do |type, cases|
    define_method(:"test_#{type.class.name[/\w+\z/]}_reads_the_environment") do
      cases.each do |text, value|
        read = type.parse(text)
        value.nil? ? assert_nil(read, text) : assert_equal(value, read, text)
      end
    end
  end

  # Valid values, and those that are refused.
  CHECKED = {
    Types::Boolean.new => [[true, false], [nil, "true", 1]],
    Types::Whole.new(1..9) => [[1, 9], [0, 10, 5.0, "5", nil]],
    Types::Seconds.new(1..60) => [[1, 59.5], [0.5, 61, "5", Complex(5, 1)]],
    Types::PriceList.new => [[{vcpu: 1, gb: 0}],
      [{vcpu: 0, gb: 1}, {vcpu: 1}, {vcpu: 1, gb: nil}, {vcpu: 1, gb: -1}, 5]],
    Types::Milliseconds.new(10..60_000) => [[nil, 0, 10], [9, 60_001, 10.5]],
    Types::Text.new(longest: 3) => [%w[a abc], ["", "abcd", "a\0", :a]],
    Types::Folder.new => [["/dev/shm"], ["shm", "/dev\0", nil]],
    Types::Paths.new => [[[], ["/up", /x/]], [["up"], "/up", [nil]]],
    Types::Header.new => [["X-Request-Start"], ["X Start", "", "A" * 101]],
    Types::Choice.new(%i[json emf]) => [[:json], [:xml, "json"]],
    Types::Subset.new(%i[sql redis]) => [[[], [:sql]], [[:http], :sql]],
    Types::Switches.new(%i[path]) => [[{}, {path: false}], [{path: nil}, {other: true}, false]],
    Types::Jit.new => [[:on, {}, {mem_size: 2048, stats_share: 1}, {after: :boot}],
      [:maybe, {mem_size: 0}, {stats_share: 0}, {after: :later}, {stats: :loud}, {other: 1}]],
    Types::Code.new => [[->(env) { env }], [nil, "code"]],
    Types::Target.new => [[$stderr, "/var/log/h.log", IO::NULL, Logger.new(nil)], ["h.log", "/a\0", 5]],
    Types::StatsLog.new => [[:off, :stdout, {to: :stdout, sample: 1.0, workers: 1}, {namespace: "A/b"}],
      [:file, {every: 0}, {sample: 0}, {namespace: "AWS/b"}, {format: :xml}, {colour: 1}, "log"]],
    Types::WebAuth.new => [[:none, ->(env) { env }, {username: "a", password: "b"}],
      [:unreadable, {username: "a"}, {username: "a", password: ""}, nil]]
  }.freeze

  CHECKED.each do |type, (valid, wrong)|
    define_method(:"test_#{type.class.name[/\w+\z/]}_checks_values") do
      valid.each { |value| assert type.valid?(value), value.inspect }
      wrong.each { |value| refute type.valid?(value), value.inspect }
    end
  end

  def test_a_rule_of_captures_is_read_by_its_own_reader
    type = Types::CaptureRule.new
    assert_equal :off, type.parse("OFF")
    assert_equal "stall > 50 ms", type.parse("stall > 50 ms")
    assert_equal [true, true, false], [:off, "stall > 50 ms", "stall"].map { |value| type.valid?(value) }
  end

  # A text that could not be read may have a part of a password.
  def test_a_password_is_in_no_message
    type = Types::WebAuth.new
    assert_equal [:unreadable, Hash], [type.masked(type.parse("secret")), type.masked({password: "x"})]
  end
end

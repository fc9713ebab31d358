# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::HostCapturesTest < Minitest::Test
  Page = Class.new do
    include Holdup::Report::HostCaptures

    public :captures

    def initialize(context) = @context = context
  end
  Context = Struct.new(:captures)
  private_constant :Page, :Context

  def test_are_those_of_the_dashboard
    reader = Struct.new(:all).new([1, 2])
    assert_equal [1, 2], Page.new(Context.new(reader)).captures
  end

  def test_a_file_has_none
    assert_empty Page.new(nil).captures
    assert_empty Page.new(Context.new(nil)).captures
  end
end

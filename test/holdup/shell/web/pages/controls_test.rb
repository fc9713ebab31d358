# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::Pages::ControlsTest < Minitest::Test
  Controls = Holdup::Web::Pages::Controls
  TEMPLATES = %w[shell/web/views/blocks shell/view/html/views/blocks].map do |folder|
    File.expand_path("../../../../../lib/holdup/#{folder}", __dir__)
  end

  # @return [Array<Class>] of what a page consists of
  def kinds
    [Controls, Holdup::View::Blocks].flat_map do |owner|
      owner.constants.map { |name| owner.const_get(name) }.select do |kind|
        kind.is_a?(Class) && kind.method_defined?(:view)
      end
    end
  end

  def test_each_block_has_a_template_of_its_name
    assert_operator kinds.size, :>, 8
    kinds.each do |kind|
      view = kind.new(**kind.members.to_h { |member| [member, nil] }).view
      found = TEMPLATES.count { |folder| File.file?(File.join(folder, "#{view}.erb")) }
      assert_equal 1, found, "#{kind}: #{view}.erb"
    end
  end

  def test_a_field_needs_only_a_name_and_a_label
    field = Controls::Field.new(name: "io", label: "idle share")

    %i[value hint options slider].each { |member| assert_nil field.public_send(member), member }
    assert_raises(ArgumentError) { Controls::Field.new(name: "io") }
  end
end

# frozen_string_literal: true

require "test_helper"

# The reader that generated files are checked with, itself.
class TerraformFileTest < Minitest::Test
  def file(**blocks) = TerraformFile.new(JSON.generate(blocks))

  def test_resources_by_type_and_name
    file = file(resource: {aws_x: {a: {n: 1}, b: {n: 2}}, aws_y: {a: {n: 3}}})

    assert_equal [%w[aws_x a], %w[aws_x b], %w[aws_y a]], file.resources.map { |one| [one.type, one.name] }
    assert_equal [{"n" => 3}], file.resources("aws_y").map(&:body)
  end

  def test_escapes_are_the_signs_themselves
    assert_equal "${x} %{y} $5 100% $${z}", file.evaluate("$${x} %%{y} $5 100% $$${z}")
  end

  def test_references_are_replaced_in_values_and_keys
    known = {"each.key" => "units", "var.a" => "b"}

    assert_equal "{ $.units = * }", file.evaluate("{ $.${each.key} = * }", known)
    assert_equal({"b" => [1, nil, "x-b"]}, file.evaluate({"${var.a}" => [1, nil, "x-${var.a}"]}, known))
  end

  def test_a_reference_alone_keeps_its_type
    file = file(variable: {actions: {default: [1]}}, locals: {all: {a: "${var.actions}"}})

    assert_equal [1], file.evaluate("${var.actions}")
    assert_equal({"a" => [1]}, file.evaluate("${local.all}"))
    assert_equal '{"a":[1]}', file.evaluate("${jsonencode(local.all)}")
  end

  def test_defaults_of_variables_are_no_templates
    assert_equal "${x}", file(variable: {name: {default: "${x}"}}).evaluate("${var.name}")
  end

  def test_refuses_what_it_does_not_know
    ["%{if x}", "${b", "${\"a\"}-"].each do |text|
      assert_raises(TerraformFile::InvalidTemplate, text) { file.evaluate(text) }
    end
    ["${var.none}", "${local.none}", "${each.key}", "${upper(var.a)}", "a ${1 + 2}"].each do |text|
      assert_raises(KeyError, text) { file.evaluate(text) }
    end
  end

  def test_refuses_files_that_terraform_would_not_read
    assert_raises(JSON::ParserError) { TerraformFile.new('{"locals": {"a": 1, "a": 2}}') }
    assert_raises(JSON::ParserError) { TerraformFile.new("locals {}") }
    assert_raises(ArgumentError) { TerraformFile.new('{"resources": {}}') }
  end
end

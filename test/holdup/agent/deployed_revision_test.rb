# frozen_string_literal: true

require "test_helper"
require "holdup/agent/deployed_revision"

class Holdup::DeployedRevisionTest < Minitest::Test
  PAGE = File.expand_path("../../../docs/guide/configuration.md", __dir__)

  def revision(env: {}, root: "/nowhere", rails: -> {})
    Holdup::DeployedRevision.new(env:, root:, rails:).call
  end

  def with_file(text)
    Dir.mktmpdir do |root|
      File.write(File.join(root, "REVISION"), text)
      yield root
    end
  end

  def test_a_variable_comes_before_the_file_and_the_file_before_rails
    rails = -> { "from-rails" }
    with_file("from-the-file\n") do |root|
      assert_equal "abc", revision(env: {"KAMAL_VERSION" => "abc"}, root:, rails:)
      assert_equal "from-the-file", revision(root:, rails:)
    end
    assert_equal "from-rails", revision(rails:)
    assert_nil revision
  end

  # Rails may start git for it.
  def test_rails_is_not_asked_without_need
    assert_equal "abc", revision(env: {"GIT_REV" => "abc"}, rails: -> { flunk("asked") })
  end

  def test_what_the_application_raises_stays_here
    assert_nil revision(rails: -> { raise Errno::ENOENT, "git" })
  end

  def test_each_variable_is_read_in_its_order
    names = Holdup::DeployedRevision::VARIABLES.keys
    names.each { |name| assert_equal "abc", revision(env: {name => "abc"}), name }
    names.each_cons(2) do |first, second|
      assert_equal "first", revision(env: {second => "second", first => "first"}), first
    end
  end

  def test_what_is_empty_says_nothing
    assert_equal "abc", revision(env: {"GIT_COMMIT" => " ", "KAMAL_VERSION" => "abc"})
    with_file("\n") { |root| assert_nil revision(root:, rails: -> { "" }) }
  end

  def test_of_an_image_the_tag_counts
    {
      "registry.fly.io/storefront:deployment-01JAB" => "01JAB",
      "registry.fly.io:5000/storefront:v12" => "v12",
      "registry.fly.io/storefront" => "registry.fly.io/storefront"
    }.each { |image, tag| assert_equal tag, revision(env: {"FLY_IMAGE_REF" => image}) }
  end

  def test_bytes_that_are_no_text_do_no_harm
    text = revision(env: {"GIT_COMMIT" => "ab\xffc"})
    assert_predicate text, :valid_encoding?
  end

  def test_the_page_has_each_variable
    rows = File.read(PAGE).scan(/^\| `([A-Z_]+)` \| (.+) \|$/).to_h
    assert_equal Holdup::DeployedRevision::VARIABLES, rows
  end
end

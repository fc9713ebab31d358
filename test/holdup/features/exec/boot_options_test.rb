# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Exec::BootOptionsTest < Minitest::Test
  BOOT = "-r#{Holdup::Exec::BootOptions::FILE}"

  def given(**env) = Holdup::Exec::BootOptions.new(env.transform_keys(&:to_s)).to_h

  def test_comes_after_what_is_there
    assert_equal({"RUBYOPT" => BOOT}, given)
    assert_equal({"RUBYOPT" => "-W0 #{BOOT}"}, given(RUBYOPT: "-W0"))
  end

  def test_bundlers_copy_of_the_environment_gets_it_too
    {"-W0" => "-W0 #{BOOT}", Holdup::ChildEnvironment::WAS_NOT_SET => BOOT}.each do |before, after|
      assert_equal after, given(BUNDLER_ORIG_RUBYOPT: before)["BUNDLER_ORIG_RUBYOPT"]
    end
  end

  def test_the_file_can_be_loaded_from_here
    assert_path_exists "#{Holdup::Exec::BootOptions::FILE}.rb".sub(/(\.rb)+\z/, ".rb")
    assert_nil Holdup::Exec::BootOptions.check
  end
end

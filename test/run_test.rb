# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"

# test/run.rb, in folders of its own.
class RunTest < Minitest::Test
  include TemporaryFolder

  one_ruby

  ROOT = File.expand_path("..", __dir__)
  RUN = File.join(ROOT, "test/run.rb")

  def test_each_part_has_the_tests_that_it_names
    copy_tests
    said, status = run_tests("native")
    assert status.success?, said
    assert_includes said, "loaded test/native/"
    refute_includes said, "loaded test/integration/"
  end

  def test_a_part_without_a_test_that_it_names_ends_the_run
    copy_tests
    FileUtils.rm(in_copy("test/integration/good_job_test.rb"))
    said, status = run_tests("native")
    refute status.success?
    assert_equal "no test of the part runners is at test/integration/good_job_test.rb\n", said
  end

  def test_a_pattern_that_finds_nothing_ends_the_run
    copy_tests
    FileUtils.rm_r(in_copy("test/fuzz"))
    said, status = run_tests("test/native/reader/replay_test.rb")
    refute status.success?
    assert_match(%r{\Ano test of the part \w+ is at test/fuzz/\S+_test\.rb\n\z}, said)
  end

  private

  def in_copy(path) = File.join(folder, path)

  # Tests that only say that they were loaded.
  def copy_tests
    Dir["test/**/*_test.rb", base: ROOT].each do |test|
      FileUtils.mkdir_p(File.dirname(in_copy(test)))
      File.write(in_copy(test), "puts \"loaded #{test}\"\n")
    end
    FileUtils.cp(RUN, in_copy("test/run.rb"))
    File.write(in_copy("test/test_helper.rb"), <<~RUBY)
      module Thorough
        class << self
          attr_accessor :run, :second
        end
      end
    RUBY
  end

  def run_tests(*arguments)
    Open3.capture2e(RbConfig.ruby, in_copy("test/run.rb"), *arguments, chdir: folder)
  end
end

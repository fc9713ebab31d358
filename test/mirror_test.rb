# frozen_string_literal: true

require "test_helper"

# A test is at the path of its subject. Contracts, property tests and whole programs have folders of their
# own.
class MirrorTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)

  # Files of code, and what they say of where a test of them belongs.
  class Subjects
    def initialize(root, endings)
      @root = root
      @endings = endings
    end

    # @param path [String] of a test, from the folder of tests and without its ending
    # @return [Boolean] whether something there has this path: a file, a folder of files, or a class that
    #   another file has; or this is a part of the tests of such a file or class
    def mirrored?(path)
      return true if subject?(path) || folder?(path)
      above = File.dirname(path)
      subject?(above) && !folder?(above)
    end

    private

    def subject?(path)
      @endings.any? { |ending| File.file?("#{@root}/#{path}#{ending}") } || named?(path)
    end

    def folder?(path) = files_in(path).any?

    # A small class stands in the file of its only user: in that of the folder, or in one beside.
    def named?(path)
      folder = File.dirname(path)
      name = File.basename(path).delete("_")
      definition = /^\s*(?:class|module) (?:\w+::)*(?i:#{name})\b|^\s*(?i:#{name}) = (?:Data|Struct|Class)\b/
      [*@endings.map { |ending| "#{@root}/#{folder}#{ending}" }, *files_in(folder)].any? do |file|
        File.file?(file) && File.read(file).match?(definition)
      end
    end

    def files_in(folder) = @endings.flat_map { |ending| Dir["#{@root}/#{folder}/*#{ending}"] }
  end

  # Tests of the extension as a whole, and what the other native tests are made of.
  WHOLE_EXTENSION = "extension/"

  def test_tests_of_ruby_mirror_lib
    tests = tests_in("#{ROOT}/test/holdup")
    assert_operator tests.size, :>, 450
    subjects = Subjects.new("#{ROOT}/lib/holdup", [".rb"])
    assert_empty tests.reject { |path| subjects.mirrored?(path) }
  end

  def test_tests_of_the_extension_mirror_ext
    tests = tests_in("#{ROOT}/test/native").reject { |path| path.start_with?(WHOLE_EXTENSION) }
    assert_operator tests.size, :>, 20
    subjects = Subjects.new("#{ROOT}/ext/holdup", [".c", ".h"])
    assert_empty tests.reject { |path| subjects.mirrored?(path) }
  end

  def test_finds_a_test_of_nothing
    subjects = Subjects.new("#{ROOT}/lib/holdup", [".rb"])
    refute subjects.mirrored?("model/no_such_value"), "beside others' files"
    refute subjects.mirrored?("no_such_folder/histogram"), "in a folder that is not there"
    refute subjects.mirrored?("features/advise/sizing/no_such_model"), "in a folder of a feature"
  end

  def test_takes_files_folders_classes_and_parts_of_a_test
    subjects = Subjects.new("#{ROOT}/lib/holdup", [".rb"])
    assert subjects.mirrored?("model/histogram"), "a file"
    assert subjects.mirrored?("features/advise/rules"), "a folder"
    assert subjects.mirrored?("features/advise/rules/autoscaling_trap"), "a class in a file of the folder"
    assert subjects.mirrored?("analysis/pool_cpu/capacity"), "a class in the file of the folder's name"
    assert subjects.mirrored?("store/sql/mysql/faults"), "a part of the tests of a file"
  end

  private

  def tests_in(folder)
    Dir["#{folder}/**/*_test.rb"].map { |file| file.delete_prefix("#{folder}/").delete_suffix("_test.rb") }
  end
end

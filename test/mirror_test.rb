# frozen_string_literal: true

require "test_helper"
require "prism"

# A test is at the path of its subject, and each file of lib/ that decides something has one. Contracts,
# property tests and whole programs have folders of their own.
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

  # Files of lib/, and whether they have the tests that they need.
  class TestedFiles
    CONTENTS = "feature"
    GENERATED = %r{^# Written by bin/generate\b}

    def initialize(lib, tests)
      @lib = lib
      @tests = tests
    end

    # @return [Array<String>] paths from lib, without their ending
    def all = Dir["**/*.rb", base: @lib].sort.map { |file| file.delete_suffix(".rb") }

    def untested = all.reject { |path| tested?(path) }

    # - A feature's table of contents (feature.rb) needs no test of its own: shell/features_test.rb reads all
    #   of them. Nor does what bin/generate writes, nor a file without a method: its tables and
    #   values have no other behaviour than that of those who use them.
    # - A file has its test at its path; or each of its classes that has methods has a test of its own, in the
    #   folder of the file or beside it: a file of rules by theme has a test for each rule.
    def tested?(path)
      return true if File.basename(path) == CONTENTS || generated?(path)
      return true if File.file?("#{@tests}/#{path}_test.rb")
      names = with_methods(path)
      names.empty? || names.all? { |name| own_test?(path, name) }
    end

    private

    def source(path) = "#{@lib}/#{path}.rb"

    def generated?(path) = File.read(source(path)).match?(GENERATED)

    def own_test?(path, name)
      [path, File.dirname(path)].any? do |folder|
        Dir["#{@tests}/#{folder}/*_test.rb"].any? do |file|
          File.basename(file, "_test.rb").delete("_") == name.downcase
        end
      end
    end

    # @return [Array<String>] names of the outermost classes and modules with methods
    def with_methods(path) = names(Prism.parse_file(source(path)).value).uniq

    def names(node)
      name = name_of(node)
      return [name] if name && methods?(node)
      node.compact_child_nodes.flat_map { |child| names(child) }
    end

    # A class, a module, or a value such as Data.define with a block.
    def name_of(node)
      case node
      when Prism::ClassNode, Prism::ModuleNode then node.constant_path.slice[/\w+\z/]
      when Prism::ConstantWriteNode then node.name.to_s if block?(node)
      when Prism::ConstantPathWriteNode then node.target.slice[/\w+\z/] if block?(node)
      end
    end

    def block?(node) = node.value.is_a?(Prism::CallNode) && !node.value.block.nil?

    # Whether it defines methods itself, not only what is in it.
    def methods?(node)
      node.compact_child_nodes.any? do |child|
        child.is_a?(Prism::DefNode) || (name_of(child).nil? && methods?(child))
      end
    end
  end

  # File that needs a test and has none at its path => why, and what tests it. None may be added for want of
  # time: the list only gets shorter.
  EXCEPTIONS = {
    "agent/exec_boot" => "hooks into programs that do not know it: integration/exec_test.rb runs some",
    "agent/puma_boot" => "loads Holdup into a Puma of its own: integration/other_version_test.rb",
    "agent/rails" => "boots with a Rails application: integration/rails_test.rb",
    "agent/servers/falcon" => "joins Falcon's own processes: integration/falcon_test.rb",
    "base" => "has the methods of lib/holdup.rb: holdup_test.rb",
    "features/lab/jobs/mix" => "is a job program in a Sidekiq: integration/lab_jobs_test.rb",
    "features/lab/jobs/run" => "starts Sidekiq and Redis: integration/lab_jobs_test.rb",
    "features/lab/sidekiq_vcpu/jobs" => "is a job program in a Sidekiq: integration/lab_sidekiq_vcpu_test.rb",
    "features/lab/sidekiq_vcpu/run" => "starts Sidekiq and Redis: integration/lab_sidekiq_vcpu_test.rb",
    "store/clickhouse" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/arrival_rows" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/commit_session" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/records" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/rollup_steps" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/slowest_rows" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/spans" => "asks a server: integration/clickhouse_store_test.rb",
    "store/clickhouse/upkeep" => "asks a server: integration/clickhouse_store_test.rb",
    "store/sql/mysql" => "asks a server: integration/mariadb_store_test.rb",
    "store/sql/postgres" => "asks a server: integration/postgres_store_test.rb"
  }.freeze

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

  def test_each_file_of_lib_has_its_test
    files = TestedFiles.new("#{ROOT}/lib/holdup", "#{ROOT}/test/holdup")
    assert_operator files.all.size, :>, 400
    assert_empty files.untested - EXCEPTIONS.keys
  end

  def test_no_exception_has_a_test_or_needs_none
    files = TestedFiles.new("#{ROOT}/lib/holdup", "#{ROOT}/test/holdup")
    assert_empty EXCEPTIONS.keys - files.untested
  end

  def test_knows_which_files_need_a_test
    {
      "class A\n  def b = 1\nend" => true,
      "module A\n  B = Data.define(:c) do\n    def d = c\n  end\nend" => true,
      "A = Data.define(:b)\nC = {d: 1}.freeze" => false,
      "# Written by bin/generate\nmodule A\n  def self.b = 1\nend" => false
    }.each { |code, needed| assert_equal needed, !tested?("a", code), code }
    assert tested?("feature", "module A\n  def self.b = 1\nend"), "a table of contents"
  end

  def test_knows_the_tests_of_a_file_and_of_its_classes
    rules = "module Rules\n  module FewThreads\n    def self.call = 1\n  end\n" \
      "  class Slow\n    def a = 1\n  end\nend"
    refute tested?("rules/all", rules, "rules/few_threads")
    assert tested?("rules/all", rules, "rules/few_threads", "rules/slow"), "beside the file"
    assert tested?("rules/all", rules, "rules/all/few_threads", "rules/slow"), "in its folder"
    assert tested?("rules/all", rules, "rules/all"), "at its path"
    refute tested?("rules/all", rules, "few_threads", "slow"), "elsewhere"
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

  # @param tests [Array<String>] paths of those that there are
  def tested?(path, code, *tests)
    Dir.mktmpdir do |folder|
      {"lib/#{path}.rb" => code, **tests.to_h { |test| ["test/#{test}_test.rb", ""] }}.each do |file, text|
        FileUtils.mkdir_p(File.dirname(File.join(folder, file)))
        File.write(File.join(folder, file), text)
      end
      TestedFiles.new("#{folder}/lib", "#{folder}/test").tested?(path)
    end
  end

  def tests_in(folder)
    Dir["#{folder}/**/*_test.rb"].map { |file| file.delete_prefix("#{folder}/").delete_suffix("_test.rb") }
  end
end

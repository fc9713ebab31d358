# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "tmpdir"

class Holdup::Lab::LedgerFileTest < Minitest::Test
  FILE = Holdup::Lab::LedgerFile.new("sweep")
  RUNS = {runs: [{rate: 20, response_ns: 1.5}], done: false}.freeze

  def in_folder
    Dir.mktmpdir { |folder| yield File.join(folder, "sweep.json") }
  end

  def refusal(path, content = nil)
    File.write(path, content) if content
    assert_raises(Holdup::Error) { FILE.read(path) { |hash| hash.fetch(:runs) } }.message
  end

  def test_reads_what_it_wrote
    in_folder do |path|
      FILE.write(path, RUNS)
      assert_equal FILE.whole(RUNS), FILE.read(path, &:itself)
      assert_equal RUNS[:runs], FILE.read(path) { |hash| hash[:runs] }
    end
  end

  def test_replaces_a_file_and_leaves_no_other
    in_folder do |path|
      2.times { |turn| FILE.write(path, {runs: [turn]}) }
      assert_equal [1], FILE.read(path) { |hash| hash[:runs] }
      assert_equal ["sweep.json"], Dir.children(File.dirname(path))
    end
  end

  # A file that can't be written whole must not destroy the one of the step before.
  def test_keeps_the_old_file_when_writing_fails
    in_folder do |path|
      FILE.write(path, RUNS)
      Dir.mkdir("#{path}.new")
      error = assert_raises(Holdup::Error) { FILE.write(path, {runs: []}) }
      assert_match(/the sweep can't be kept in .*; name another file with --out/, error.message)
      assert_equal RUNS[:runs], FILE.read(path) { |hash| hash[:runs] }
    end
  end

  def test_rejects_files_of_other_experiments_and_versions
    in_folder do |path|
      Holdup::Lab::LedgerFile.new("jobs").write(path, RUNS)
      said = refusal(path)
      assert_match(/was not written by this version; name the file that `holdup lab sweep` wrote/, said)
      newer = FILE.whole(RUNS).merge(schema: Holdup::Lab::LedgerFile::SCHEMA + 1)
      assert_match(/was not written by this version/, refusal(path, JSON.generate(newer)))
    end
  end

  def test_rejects_damaged_files
    in_folder do |path|
      FILE.write(path, RUNS)
      whole = File.read(path)
      ["", "[]", "null", "7", "{}", whole[0, whole.size / 2], "\xFF\x00"].each do |content|
        assert_match(/was not written by this version/, refusal(path, content), content.inspect)
      end
    end
  end

  # The reader of an experiment finds a key missing, or a value of another type.
  def test_rejects_a_file_that_its_experiment_can_not_use
    in_folder do |path|
      assert_match(/was not written by this version/, refusal(path, JSON.generate(FILE.whole({}))))
      File.write(path, JSON.generate(FILE.whole({runs: 7})))
      error = assert_raises(Holdup::Error) { FILE.read(path) { |hash| hash.fetch(:runs).map(&:size) } }
      assert_match(/was not written by this version/, error.message)
    end
  end

  def test_names_a_file_that_is_missing
    in_folder do |path|
      assert_match(/the sweep .*sweep\.json can't be read \(No such file or directory/, refusal(path))
    end
  end
end

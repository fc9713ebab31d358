# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"
require "holdup/shell/compiled_code"

class CompiledCodeTest < Minitest::Test
  EXE = File.expand_path("../../../exe/holdup", __dir__)

  def setup
    @dir = Dir.mktmpdir
    @source = File.join(@dir, "answer.rb")
    File.write(@source, "[40, 2].sum\n")
  end

  def teardown
    FileUtils.chmod_R(0o700, @dir)
    FileUtils.rm_rf(@dir)
  end

  def test_runs_what_it_has_kept_without_compiling_it_again
    assert_equal 42, fetch.eval
    assert_equal 1, kept.size
    not_compiling { assert_equal 42, fetch.eval }
  end

  def test_compiles_a_file_that_has_changed
    fetch
    File.write(@source, "[40, 3].sum\n")
    assert_equal 43, fetch.eval
  end

  def test_compiles_another_file_of_the_same_size_and_time
    fetch
    time = File.mtime(@source)
    File.write("#{@source}.new", "[40, 3].sum\n")
    File.utime(time, time, "#{@source}.new")
    File.rename("#{@source}.new", @source)
    assert_equal 43, fetch.eval
  end

  def test_compiles_again_what_was_damaged
    fetch
    whole = File.binread(kept.first)
    [whole[0, 20], whole[0, whole.size / 2], whole[0, 40].ljust(whole.size, "\0"), ""].each do |damaged|
      File.binwrite(kept.first, damaged)
      assert_equal 42, fetch.eval
      assert_equal whole, File.binread(kept.first)
    end
  end

  def test_leaves_to_ruby_what_another_ruby_has_kept
    fetch
    code = "not of this Ruby".b
    header = File.binread(kept.first, 24)
    File.binwrite(kept.first, header + [code.sum(64)].pack("Q") + code)
    assert_nil fetch
  end

  def test_leaves_an_error_in_a_source_to_ruby
    File.write(@source, "def (")
    assert_nil fetch
    File.unlink(@source)
    assert_nil fetch
  end

  def test_keeps_nothing_more_where_it_cant_write
    gone = Holdup::CompiledCode.new("#{@dir}/gone")
    assert_equal 42, gone.fetch(@source).eval
    not_compiling { assert_nil gone.fetch(@source) }
  end

  def test_leaves_to_ruby_what_it_cant_read
    Dir.mkdir(File.join(folder, @source.tr("/", "%")))
    assert_nil fetch
  end

  def test_a_command_keeps_what_it_loads_and_loads_it_the_next_time
    assert_match(/\Aholdup \d/, version)
    files = Dir["#{@dir}/cache/holdup/code/*/*"]
    assert_includes files.map { |file| File.basename(file) }.join("\n"), "%lib%holdup%loader.rb"
    assert_equal 0o700, File.stat("#{@dir}/cache/holdup/code").mode & 0o777
    times = files.to_h { |file| [file, File.mtime(file)] }
    assert_match(/\Aholdup \d/, version)
    assert_equal times, times.to_h { |file, _| [file, File.mtime(file)] }
  end

  def test_a_command_runs_without_a_folder_of_its_own
    FileUtils.mkdir_p("#{@dir}/cache/holdup/code")
    File.chmod(0o777, "#{@dir}/cache/holdup/code")
    Dir.mkdir("#{@dir}/cache/holdup/code/#{folder_name}", 0o777)
    File.chmod(0o777, "#{@dir}/cache/holdup/code/#{folder_name}")
    assert_match(/\Aholdup \d/, version)
    assert_empty Dir["#{@dir}/cache/holdup/code/*/*"], "others may write into this folder"
    assert_match(/\Aholdup \d/, version("XDG_CACHE_HOME" => "/proc"))
    assert_match(/\Aholdup \d/, version("XDG_CACHE_HOME" => nil, "HOME" => nil))
    assert_match(/\Aholdup \d/, version("XDG_CACHE_HOME" => nil, "HOME" => "#{@dir}/nobody"))
    refute_path_exists "#{@dir}/nobody"
  end

  def test_the_oldest_folders_go
    8.times do |age|
      path = "#{@dir}/cache/holdup/code/old-#{age}"
      FileUtils.mkdir_p(path)
      File.utime(Time.now - 1000 - age, Time.now - 1000 - age, path)
    end
    version
    assert_equal %w[old-0 old-1 old-2 old-3],
      Dir.children("#{@dir}/cache/holdup/code").grep(/old/).sort
  end

  private

  def code = Holdup::CompiledCode.new(folder)

  def fetch = code.fetch(@source)

  def folder = File.join(@dir, "code").tap { |path| FileUtils.mkdir_p(path) }

  def kept = Dir["#{folder}/*"]

  # As exe/holdup names it.
  def folder_name
    version("XDG_CACHE_HOME" => "#{@dir}/other")
    Dir.children("#{@dir}/other/holdup/code").first
  end

  def not_compiling(&block)
    refused = ->(*) { raise "compiled again" }
    RubyVM::InstructionSequence.stub(:compile_file, refused, &block)
  end

  def version(env = {})
    output, status = Open3.capture2e({"XDG_CACHE_HOME" => "#{@dir}/cache"}.merge(env), RbConfig.ruby, EXE,
      "version")
    assert status.success?, output
    output
  end
end

# frozen_string_literal: true

require "test_helper"
require "open3"
require "support/extension_sources"

# Everything that lists the files of the extension lists all of them, in all of its folders.
class ExtensionFilesTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("../../..", __dir__)
  FILES = Dir["ext/holdup/**/*.{c,h}", base: ROOT].sort.freeze
  COMPILED = FILES.grep(/\.c\z/).freeze
  FOLDERS = %w[capture hook process reader segment unit].freeze
  # Texts that name such files by their paths.
  NAMING = "{ext,lib,docs,test,bin,benchmark}/**/*.{c,h,rb,md,sh}"

  def test_there_are_files_in_each_folder
    assert_equal FOLDERS, COMPILED.filter_map { |file| file[%r{\Aext/holdup/(\w+)/}, 1] }.uniq.sort
  end

  def test_the_tests_compile_all
    assert_equal FILES, relative(ExtensionSources.all)
    assert_equal COMPILED, relative(ExtensionSources.compiled)
  end

  def test_setup_compiles_again_after_a_change_of_any
    script = "source bin/support/extension_files.sh; extension_files"
    listed = run_command("bash", "-euc", script).lines(chomp: true)
    assert_empty FILES + %w[ext/holdup/extconf.rb test/native/ext/gvl_work.c] - listed
  end

  def test_rake_makes_the_makefile_anew_after_a_change_of_any
    prerequisites = run_command("bundle", "exec", "rake", "--prereqs").split(/^rake /)
    makefile = prerequisites.find { |task| task.match?(%r{\A\S+/holdup/[\d.]+/Makefile$}) }
    assert_empty FILES - makefile.lines.map(&:strip)
  end

  def test_the_makefile_compiles_each_and_again_after_a_change_of_a_header
    makefile = Dir.mktmpdir do |folder|
      run_command(RbConfig.ruby, File.join(ROOT, "ext/holdup/extconf.rb"), chdir: folder)
      File.read(File.join(folder, "Makefile"))
    end
    objects = COMPILED.map { |file| File.basename(file, ".c") + ".o" }
    assert_equal objects.sort, makefile[/^OBJS = (.*)$/, 1].split.sort
    headers = (FILES - COMPILED).map { |file| file.sub("ext/holdup", "$(srcdir)") }
    assert_empty headers - makefile.scan(/^(?:LOCAL_)?HDRS = (.*)$/).flatten.flat_map(&:split)
  end

  # As `gem install` does.
  def test_make_finds_each_where_the_sources_themselves_are_built
    Dir.mktmpdir do |folder|
      FileUtils.cp_r(File.join(ROOT, "ext/holdup"), folder)
      within = File.join(folder, "holdup")
      run_command(RbConfig.ruby, "extconf.rb", chdir: within)
      commands = run_command("make", "--dry-run", "V=1", chdir: within)
      assert_empty COMPILED.map { |file| File.basename(file) }.reject { |name| commands.include?(name) }
    end
  end

  def test_headers_are_included_by_their_path
    included = found_in(FILES, /^#include "([^"]+)"/)
    assert_operator included.size, :>, 30
    assert_empty included.map { |path| "ext/holdup/#{path}" } - FILES
  end

  def test_files_that_texts_name_are_there
    named = found_in(Dir[NAMING, base: ROOT], %r{(ext/holdup/[\w/]+\.[ch])\b})
    assert_operator named.size, :>, 10
    assert_empty named - FILES
  end

  private

  # @return [Array<String>] what the pattern's group matches in these files
  def found_in(files, pattern)
    files.flat_map { |file| File.read(File.join(ROOT, file)).scan(pattern).flatten }.uniq
  end

  def relative(paths) = paths.map { |path| path.delete_prefix("#{ROOT}/") }

  def run_command(*command, chdir: ROOT)
    output, status = Open3.capture2e(*command, chdir:)
    assert_predicate status, :success?, output
    output
  end
end

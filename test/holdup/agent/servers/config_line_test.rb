# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/identity"

class Holdup::Servers::ConfigLineTest < Minitest::Test
  include FreshRuby

  def setup
    @root = Dir.mktmpdir
    @path = File.join(@root, "unicorn.rb")
  end

  def teardown = FileUtils.remove_entry(@root)

  def find(text, word = "worker_processes")
    File.write(@path, text)
    Holdup::Servers::ConfigLine.find(@path, word)
  end

  def test_the_last_line_counts_as_it_does_for_the_server
    line = find("listen 80\nworker_processes 2\n\n  worker_processes(Integer(ENV[\"N\"] || 4)) # four\n")
    assert_equal ["#{@path}:4", "Integer(ENV[\"N\"] || 4)"], [line.place, line.value]
  end

  def test_comments_in_any_script_whatever_the_locale
    File.binwrite(@path, "# ワーカー数\n# caf\xE9\nworker_processes 2 # 二つ\n")
    script = "require \"holdup/agent/servers/identity\"\n" \
      "puts Holdup::Servers::ConfigLine.find(#{@path.dump}, \"worker_processes\").value"
    assert_equal "2\n", fresh_ruby(script, env: {"LC_ALL" => "C"})
    Dir.mkdir(File.join(@root, "設定"))
    FileUtils.cp(@path, File.join(@root, "設定", "unicorn.rb"))
    script = "require \"holdup/agent/servers/identity\"\n" \
      "Dir.chdir(#{@root.dump} + \"/\" + [0xe8a8ade5ae9a].pack(\"Q>\").byteslice(2..))\n" \
      "print Holdup::Servers::ConfigLine.find(File.expand_path(\"unicorn.rb\"), \"worker_processes\").place"
    assert_equal "unicorn.rb:3", fresh_ruby(script, env: {"LC_ALL" => "C"})
  end

  def test_a_condition_is_not_part_of_the_value
    assert_equal "[50, 100]", find("refork_after [50, 100] if ENV[\"X\"]\n", "refork_after").value
    assert_equal "true", find("preload_app true unless test?", "preload_app").value
  end

  def test_ignores_comments_and_other_words
    assert_nil find("# worker_processes 2\nworker_processes_more 3\nx = worker_processes\n")
  end

  def test_relative_to_the_working_directory
    find("preload_app true")
    line = Dir.chdir(@root) do
      Holdup::Servers::ConfigLine.find(File.join(Dir.pwd, "unicorn.rb"), "preload_app")
    end
    place = line.place
    assert_equal "unicorn.rb:1", place
  end

  def test_no_file
    assert_nil Holdup::Servers::ConfigLine.find(nil, "workers")
    assert_nil Holdup::Servers::ConfigLine.find(File.join(@root, "none"), "workers")
  end
end

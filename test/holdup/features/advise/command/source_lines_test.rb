# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "tmpdir"

class Holdup::Advise::Command::SourceLinesTest < Minitest::Test
  def test_reads_only_lines_of_files_below_the_folder
    Dir.mktmpdir do |folder|
      Dir.mkdir("#{folder}/app")
      File.write("#{folder}/secret", "password")
      File.write("#{folder}/app/puma.rb", "workers 2\n  threads 5, 5\n#{"x" * 500}\n")
      File.symlink("#{folder}/secret", "#{folder}/app/link")
      lines = Holdup::Advise::Command::SourceLines.new(root: "#{folder}/app")
      assert_equal "  threads 5, 5", lines.call("puma.rb:2")
      assert_equal ["workers 2", "  threads 5, 5"], lines.all("puma.rb").first(2)
      ["nobody.rb", "../secret", "link", "."].each { |path| assert_empty lines.all(path), path }
      ["puma.rb:3", "puma.rb:9", "puma.rb:0", "nobody.rb:1", "../secret:1", "link:1", "#{folder}/secret:1",
        "environment WEB_CONCURRENCY", "command line", ".:1"].each { |place|
        assert_nil lines.call(place), place
      }
    end
  end
end

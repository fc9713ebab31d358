# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/agent/working_folder"

class Holdup::WorkingFolderTest < Minitest::Test
  include FreshRuby

  def test_is_the_current_folder
    assert_equal Dir.pwd, Holdup::WorkingFolder.path
    assert_predicate Holdup::WorkingFolder, :there?
  end

  linux def test_a_deleted_folder_is_still_known
    lib = File.expand_path("../../../lib", __dir__)
    Dir.mktmpdir do |root|
      said = fresh_ruby(<<~RUBY, prelude: "")
        require "#{lib}/holdup/agent/working_folder"
        Dir.mkdir("#{root}/1")
        Dir.chdir("#{root}/1")
        Dir.rmdir("#{root}/1")
        puts Holdup::WorkingFolder.path, Holdup::WorkingFolder.there?
      RUBY
      assert_equal ["#{File.realpath(root)}/1", "false"], said.lines(chomp: true)
    end
  end
end

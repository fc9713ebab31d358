# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "rails"
require "rails/generators"
require "generators/holdup/install/install_generator"

class InstallGeneratorTest < Minitest::Test
  def setup
    @root = Dir.mktmpdir
    FileUtils.mkdir_p(File.join(@root, "config"))
    write("config/puma.rb", "threads 3, 3\n")
    write("config/routes.rb", "Rails.application.routes.draw do\nend\n")
    write(".gitignore", "/tmp\n")
  end

  def teardown = FileUtils.remove_entry(@root)

  def write(path, text)
    File.write(File.join(@root, path), text)
  end

  def read(path) = File.read(File.join(@root, path))

  def generate
    shell = Thor::Shell::Basic.new
    Holdup::Generators::InstallGenerator.start(["--quiet"], destination_root: @root, shell:)
  end

  def test_writes_the_commented_initializer_the_plugin_the_mount_line_and_gitignore
    generate
    assert_equal Holdup::ConfigurationKeys::Documents.initializer, read("config/initializers/holdup.rb")
    assert_equal 1, read("config/puma.rb").scan(/^plugin :holdup$/).size
    assert_match(/^ +# .*mount Holdup::Web => "\/holdup"/, read("config/routes.rb"))
    assert_match(/^\/holdup\.sqlite3\*$/, read(".gitignore"))
  end

  def test_says_what_comes_next
    shell = Thor::Shell::Basic.new
    printed, = capture_io do
      Holdup::Generators::InstallGenerator.start([], destination_root: @root, shell:)
    end
    assert_match(/^  bundle exec holdup report$/, printed)
    assert_includes printed, "A Procfile needs no line"
  end

  def test_with_the_agent_alone_it_leaves_out_what_is_in_the_gem_holdup
    printed, = Holdup::MainGem.stub(:executable, nil) do
      shell = Thor::Shell::Basic.new
      capture_io { Holdup::Generators::InstallGenerator.start([], destination_root: @root, shell:) }
    end
    assert_match(/^Restart the server.*`holdup collect` elsewhere/m, printed)
    assert_equal 1, read("config/puma.rb").scan(/^plugin :holdup$/).size
    refute_match(/Holdup::Web/, read("config/routes.rb"))
    refute_match(/holdup/, read(".gitignore"))
  end

  def test_a_second_time_changes_nothing
    generate
    before = %w[config/puma.rb config/routes.rb .gitignore].map { |path| read(path) }
    generate
    assert_equal before, %w[config/puma.rb config/routes.rb .gitignore].map { |path| read(path) }
  end

  def test_an_application_without_puma_or_git
    %w[config/puma.rb .gitignore config/routes.rb].each { |path| File.delete(File.join(@root, path)) }
    generate
    assert_path_exists File.join(@root, "config/initializers/holdup.rb")
    refute_path_exists File.join(@root, "config/puma.rb")
  end
end

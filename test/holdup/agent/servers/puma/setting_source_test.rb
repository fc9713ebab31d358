# frozen_string_literal: true

require "test_helper"
require "puma"
require "puma/configuration"
require "holdup/agent/servers/puma/levers"

class SettingSourceTest < Minitest::Test
  include TemporaryFolder

  # @return [Hash{Symbol => String}] with the folder left out
  def origins(text, env: {}, user: {})
    path = File.join(folder, "puma.rb")
    File.write(path, text)
    config = Puma::Configuration.new({config_files: [path], **user}, {}, env)
    config.load
    config.clamp
    places = Holdup::Servers::Puma::SettingSource.new(config, env:).to_h
    places.transform_values do |place|
      place.delete_prefix("#{File.realpath(folder)}/").delete_prefix("#{folder}/")
    end
  end

  def test_lines_of_the_file
    found = origins("# threads 1, 1\nthreads 3, 3\nworkers(2)\npreload_app! false # why\nfork_worker\n")
    lines = {
      max_threads: "puma.rb:2",
      workers: "puma.rb:3",
      preload_app: "puma.rb:4",
      fork_worker: "puma.rb:5"
    }
    assert_equal lines, found
  end

  def test_the_last_line_counts
    assert_equal "puma.rb:3", origins("threads 1, 1\n\nthreads 2, 2\n")[:max_threads]
  end

  RAILS = <<~RUBY
    threads_count = ENV.fetch("RAILS_MAX_THREADS", 3)
    threads threads_count, threads_count
    workers Integer(ENV["SOME_WORKERS"] || 2)
  RUBY

  def test_variables_that_the_file_reads
    found = origins(RAILS, env: {"RAILS_MAX_THREADS" => "7", "SOME_WORKERS" => "2"})
    assert_equal({max_threads: "ENV[RAILS_MAX_THREADS]", workers: "ENV[SOME_WORKERS]"}, found)
  end

  def test_their_line_where_they_are_not_set
    assert_equal({max_threads: "puma.rb:1", workers: "puma.rb:3"}, origins(RAILS))
  end

  def test_variables_that_puma_reads
    assert_equal({max_threads: "ENV[PUMA_MAX_THREADS]", workers: "ENV[WEB_CONCURRENCY]"},
      origins("", env: {"PUMA_MAX_THREADS" => "4", "WEB_CONCURRENCY" => "2"}))
  end

  def test_defaults_are_nowhere = assert_empty(origins(""))

  # Who starts it decides: a program with "puma" in its name has a command line of Puma.
  def test_options_of_code_are_nowhere
    assert_nil(origins("threads 1, 1", user: {max_threads: 9})[:max_threads])
  end
end

# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/sidekiq"

# Where settings are found in files as people write them; the adapter itself runs in
# test/integration/sidekiq_test.rb.
class Holdup::Servers::Sidekiq::LeversTest < Minitest::Test
  include TemporaryFolder

  Capsule = Struct.new(:name, :concurrency)

  INITIALIZER = <<~RUBY
    # config.concurrency = 99
    Sidekiq.configure_server do |config|
      config.capsule("single") do |capsule|
        capsule.concurrency = 1
      end
      config.concurrency = 7
      config.capsule(:pdf) { |capsule| capsule.concurrency = 2 }
      config.thread_priority = 0
    end
  RUBY

  YAML = <<~TEXT
    # for all
    :concurrency: 5
    production:
      :concurrency: <%= ENV.fetch("THREADS", 10) %>
    staging:
      concurrency: 3 # small
    :queues:
      - default
    capsules:
      low:
        concurrency: 4
  TEXT

  def write(name, text)
    path = File.join(folder, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end

  def written(arguments: [], env: {}, embedded: false, **config)
    config = {require: "."}.merge(config)
    Holdup::Servers::Sidekiq::SettingSource.new(config, embedded:, env:, arguments:, root: folder)
  end

  def where(value, capsule: "default", **options)
    written(**options).concurrency(capsule, value)&.where
  end

  def test_in_an_initializer
    write("config/initializers/sidekiq.rb", INITIALIZER)
    assert_equal "config/initializers/sidekiq.rb:6", where(7)
    assert_equal "config/initializers/sidekiq.rb:4", where(1, capsule: "single")
    assert_equal "config/initializers/sidekiq.rb:7", where(2, capsule: "pdf")
    assert_equal "config/initializers/sidekiq.rb:8", written.thread_priority(0).where
  end

  def test_in_the_required_file
    write("worker.rb",
      "Sidekiq.configure_server do |config|\n  config.concurrency = Integer(ENV[\"N\"])\nend\n")
    assert_equal "worker.rb:2", where(12, require: "./worker.rb")
  end

  def test_in_the_yaml_file_of_the_environment
    write("config/sidekiq.yml", YAML)
    places = {"production" => "config/sidekiq.yml:4", "staging" => "config/sidekiq.yml:6",
              "development" => "config/sidekiq.yml:2"}
    places.zip([10, 3, 5]) do |(environment, place), value|
      assert_equal place, where(value, config_file: "config/sidekiq.yml", environment:)
    end
    assert_equal "config/sidekiq.yml:11", where(4, capsule: "low", config_file: "./config/sidekiq.yml")
  end

  def test_on_the_command_line_and_in_the_environment
    [%w[-c 8], %w[-c8], %w[--concurrency 8], %w[--concurrency=8]].each do |arguments|
      assert_equal "ARGV", where(8, arguments:)
    end
    assert_equal "ENV[RAILS_MAX_THREADS]", where(6, env: {"RAILS_MAX_THREADS" => "6"})
  end

  def test_a_value_from_elsewhere_was_overridden
    write("config/sidekiq.yml", YAML)
    assert_nil where(9, config_file: "config/sidekiq.yml", arguments: %w[-c 8],
      env: {"RAILS_MAX_THREADS" => "6"})
  end

  def test_another_servers_command_line_is_not_sidekiqs
    assert_nil where(8, arguments: %w[-c 8], env: {"RAILS_MAX_THREADS" => "8"}, embedded: true)
  end

  def test_each_capsule_has_a_lever
    capsules = [Capsule.new("default", 8), Capsule.new("low", 2)]
    levers = Holdup::Servers::Sidekiq::Levers.new(capsules, priority: -1,
      written: written(arguments: %w[-c 8])).to_a
    assert_equal ["concurrency", "concurrency low", "processes", "thread_priority"], levers.map(&:name)
    assert_equal [8, "sidekiq -c N", "ARGV"], [levers[0].value, levers[0].write, levers[0].where]
    assert(levers.none?(&:live))
  end

  def test_a_sidekiq_without_priorities_has_no_lever_for_them
    levers = Holdup::Servers::Sidekiq::Levers.new([], priority: nil, written:).to_a
    assert_equal %w[processes], levers.map(&:name)
  end
end

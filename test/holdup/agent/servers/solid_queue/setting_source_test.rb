# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/solid_queue/levers"

class Holdup::Servers::SolidQueue::SettingSourceTest < Minitest::Test
  def setup
    @root = Dir.mktmpdir
    FileUtils.mkdir(File.join(@root, "config"))
  end

  def teardown = FileUtils.remove_entry(@root)

  def find(text, queues, word, environment: "production", env: {}, arguments: [], path: "config/queue.yml")
    File.write(File.join(@root, path), text)
    Holdup::Servers::SolidQueue::SettingSource.used(env:, arguments:, root: @root).find(queues, word,
      environment:)
  end

  TWO_WORKERS = <<~YAML
    default: &default
      dispatchers:
        - polling_interval: 1
          batch_size: 500
      workers:
        - queues: "*"
          threads: 3
          processes: <%= ENV.fetch("JOB_CONCURRENCY", 1) %>
          polling_interval: 0.1
        - queues: [ mails, urgent ] # quick ones
          threads: <%= ENV["MAIL_THREADS"] || 2 %>
    production:
      <<: *default
  YAML

  def test_the_lines_of_the_worker_that_has_these_queues
    assert_equal ["config/queue.yml:7", nil], find(TWO_WORKERS, "*", "threads")
    assert_equal ["config/queue.yml:8", "JOB_CONCURRENCY"], find(TWO_WORKERS, "*", "processes")
    assert_equal ["config/queue.yml:11", "MAIL_THREADS"], find(TWO_WORKERS, "mails,urgent", "threads")
  end

  def test_what_is_not_written_is_not_found
    assert_nil find(TWO_WORKERS, "mails,urgent", "processes")
    assert_nil find(TWO_WORKERS, "reports", "threads")
    assert_nil Holdup::Servers::SolidQueue::SettingSource.new("config/none.yml", @root).find("*", "threads",
      environment: "production")
  end

  def test_the_section_of_the_environment_where_several_have_the_same_queues
    text = <<~YAML
      development:
        workers:
          - queues: "*"
            threads: 1
      production:
        workers:
          - threads: 5
            queues: "*"
    YAML
    assert_equal "config/queue.yml:4", find(text, "*", "threads", environment: "development").first
    assert_equal "config/queue.yml:7", find(text, "*", "threads").first
    assert_nil find(text, "*", "threads", environment: "staging")
  end

  def test_another_file_by_variable_or_command_line
    text = "workers:\n  - queues: a\n    threads: 2\n"
    assert_equal "config/other.yml:3",
      find(text, "a", "threads", path: "config/other.yml",
        env: {"SOLID_QUEUE_CONFIG" => "config/other.yml"}).first
    assert_equal "config/third.yml:3",
      find(text, "a", "threads", path: "config/third.yml", arguments: %w[-c config/third.yml]).first
  end
end

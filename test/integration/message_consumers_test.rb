# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# Shoryuken, Sneakers (Kicks) and Karafka with stand-ins for their brokers: the libraries' own code handles
# the messages. A real RabbitMQ is in sneakers_test.rb.
class MessageConsumersIntegrationTest < Minitest::Test
  one_ruby

  APP = File.expand_path("apps/consumers/app.rb", __dir__)

  def test_counts_what_each_library_handles
    Dir.mktmpdir do |folder|
      env = OtherBundle.of(JobDatabase::GEMFILE, HOLDUP_DIR: folder, HOLDUP_COLLECTOR: "off",
        HOLDUP_LOG: "off")
      printed, errors, status = Open3.capture3(env, *ServedApp::BUNDLED_RUBY, APP)
      assert_predicate status, :success?, errors
      # Name, queue or topic, runs, errors, and whether the time since the message was sent is its queue time.
      assert_equal [["KafkaConsumer", "orders", 2, 1, true], ["RabbitWorker", "parcels", 2, 1, false],
        ["SqsWorker", "letters", 2, 1, true]], JSON.parse(printed).map(&:values).sort
    end
  end
end

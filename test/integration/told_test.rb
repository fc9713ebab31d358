# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "open3"

# Notices for `Rails.error` and a block, from a collector in a thread of a real Rails application.
class ToldTest < Minitest::Test
  APP = File.expand_path("apps/told/app.rb", __dir__)

  def test_rails_error_and_a_block_are_told_of_stall
    Dir.mktmpdir do |folder|
      fill("#{folder}/holdup.sqlite3")
      said = said_by(folder)
      assert_equal ["stall", "began", "Waits for the GVL"], said[:block].values_at(:rule, :state, :title)
      error = said[:error]
      assert_equal "Holdup::Notify::Channels::RailsErrorChannel::NoticedProblem", error[:error]
      assert_equal [true, "warning", "stall", "holdup"], error.values_at(:handled, :severity, :rule, :source)
      assert_equal "#{said[:block][:title]}: #{said[:block][:text]}", error[:text]
    end
  end

  private

  # The last minutes of a store.
  def fill(path)
    now_s = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
    later_s = (now_s - 240 - SampleWindows::START_S) / 60 * 60
    store = Holdup::Store.open(path)
    store.commit(SampleWindows.new.stored.map { |one| one.with(start_s: one.start_s + later_s) }, {})
  ensure
    store&.close
  end

  def said_by(folder)
    env = {"APP_ROOT" => folder, "RAILS_ENV" => "development", "HOLDUP_ENABLED" => "true",
           "HOLDUP_DIR" => "#{folder}/segments", "HOLDUP_STORE" => "#{folder}/holdup.sqlite3",
           "HOLDUP_LOG" => "stderr", "PATIENCE_S" => WaitUntil::PATIENCE_S.to_s}
    lib = "-I#{File.join(ServedApp::ROOT, "lib")}"
    printed, errors, status = Open3.capture3(env, *ServedApp::BUNDLED_RUBY, lib, APP)
    assert_predicate status, :success?, errors
    said = JSON.parse(printed.lines.last, symbolize_names: true)
    assert said[:block] && said[:error], errors
    said
  end
end

# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# `config.add_figures_to` and the header Server-Timing in a Rails application with the real gems, all of them
# in one process.
class AddedFiguresTest < Minitest::Test
  APP = File.expand_path("apps/added_figures/app.rb", __dir__)
  MS = /\d+\.\d+/
  JOB_DONE = /class=PlainJob gvl=#{MS} io=#{MS} cpu=#{MS} elapsed=#{MS}: done$/
  SERVER_TIMING = /(\A|, )gvl;dur=#{MS}, io;dur=#{MS}, cpu;dur=#{MS}\z/
  NAME = "OrdersController#index"

  def test_every_line_has_the_figures_of_its_request_or_job
    said = said_by({})
    assert_rails_lines(said)
    assert_lograge(said)
    assert_semantic_logger(said)
    assert_mini_profiler(said)
    assert_match(JOB_DONE, said[:sidekiq])
    assert_equal [NAME, "PlainJob"], said[:finished], "on_finish gets them, too"
    structured = said[:events].select { |event| event[:name].start_with?("holdup.") }
    assert_equal ["holdup.request", "holdup.job"], structured.map { |event| event[:name] }
    assert_equal said[:finished], structured.map { |event| event[:payload][:name] }
    assert_empty said[:unhooked]
  end

  def test_rails_7_1_has_its_lines_and_no_event_of_its_own
    said = said_by(OtherBundle.of(File.join(ServedApp::ROOT, "gemfiles/rails71.gemfile")))
    assert_match(/\A7\.1\./, said[:rails])
    assert_rails_lines(said)
    assert_equal [NAME], said[:finished]
    assert_equal({"config.add_figures_to :rails_event": "it needs Rails 8.1",
                  "config.add_figures_to :sidekiq_log": "Sidekiq is not loaded"}, said[:unhooked])
  end

  private

  def said_by(env)
    Dir.mktmpdir do |folder|
      own = {"APP_ROOT" => folder, "RAILS_ENV" => "development", "HOLDUP_ENABLED" => "true",
             "HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off"}
      lib = "-I#{File.join(ServedApp::ROOT, "lib")}"
      printed, errors, status = Open3.capture3(env.merge(own), *ServedApp::BUNDLED_RUBY, lib, APP)
      assert_predicate status, :success?, errors
      said = JSON.parse(printed.lines.last, symbolize_names: true)
      assert_empty said[:failures]
      said
    end
  end

  def assert_rails_lines(said)
    assert_equal 200, said[:status]
    figures = said[:payloads].first
    assert_equal %i[gvl io cpu], figures.keys
    gvl, io = figures.values_at(:gvl, :io).map { |ms| format("%.1f", ms) }
    assert_match(/^.*Completed 200 OK in \d+ms \(.*\| GVL: #{gvl}ms \| IO: #{io}ms/, said[:rails_log])
    assert_match(SERVER_TIMING, said[:server_timing])
    finish = said[:events].find { |event| event[:name] == NAME }
    assert_equal "request", finish[:kind]
    assert_operator finish[:elapsed_ns], :>, 0
  end

  def assert_lograge(said)
    figures = said[:payloads].first.map { |name, ms| "#{name}=#{format("%.2f", ms)}" }
    assert_match(/action=index status=200 .* #{figures.join(" ")} host=shop\.example$/, said[:lograge])
  end

  # What its page in the browser is made of.
  def assert_mini_profiler(said)
    stats = said[:profiled][:custom_timing_stats]
    assert_equal({GVL: {count: 1, duration: said[:payloads].first[:gvl]},
                  IO: {count: 1, duration: said[:payloads].first[:io]}}, stats)
  end

  def assert_semantic_logger(said)
    completed = said[:semantic].lines.map { |line| JSON.parse(line, symbolize_names: true) }
      .find { |line| line[:message].start_with?("Completed") }
    assert_equal said[:payloads].first, completed[:payload][:holdup]
  end
end

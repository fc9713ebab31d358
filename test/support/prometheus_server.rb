# frozen_string_literal: true

require "json"
require "net/http"
require "tmpdir"
require "yaml"
require_relative "server_process"

# A real Prometheus of a test's own that scrapes every second: a free port, its folder gone afterwards.
#
#   PrometheusServer.run([{"job_name" => "holdup", ...}]) { |prometheus| prometheus.query("up") }
class PrometheusServer
  include ServerProcess

  PROGRAM = "prometheus"
  CHECKER = "promtool"

  # One time series of an answer. `value`: Float
  QueryResult = Data.define(:labels, :value)

  class << self
    # @return [Boolean] whether the programs are on this machine
    def installed? = [PROGRAM, CHECKER].all? { |program| on_path?(program) }

    # @param jobs [Array<Hash>] of scrape_configs
    # @param rules [Array<String>] paths of rule files
    # @yieldparam prometheus [PrometheusServer] while it runs
    # @return [Object] the block's value
    def run(jobs, rules: [])
      prometheus = start(jobs, rules)
      yield prometheus
    ensure
      prometheus&.stop
    end

    # @return [(Boolean, String)] whether promtool agrees, and what it says
    def check(*words, input: "")
      output = IO.popen([CHECKER, "check", *words], "r+", err: %i[child out]) do |io|
        io.write(input)
        io.close_write
        io.read
      end
      [$?.success?, output]
    end
  end

  def initialize(jobs, rules)
    raise_unless_installed
    @port = FreePorts.take
    @configuration = {
      "global" => {"scrape_interval" => "1s", "scrape_timeout" => "1s", "evaluation_interval" => "1s"},
      "scrape_configs" => jobs,
      "rule_files" => rules.map { |path| File.expand_path(path) }
    }
  end

  # @return [self]
  def start
    @folder = Dir.mktmpdir("holdup-prometheus")
    file = File.join(@folder, "prometheus.yml")
    File.write(file, YAML.dump(@configuration))
    @pid = Process.spawn(PROGRAM, "--config.file=#{file}", "--storage.tsdb.path=#{@folder}/data",
      "--web.listen-address=127.0.0.1:#{@port}", in: File::NULL, out: log_path, err: %i[child out])
    wait_until_it_answers
    self
  end

  # @param expression [String] in PromQL
  # @return [Array<QueryResult>] at this moment
  # @raise [RuntimeError] what Prometheus says is wrong
  def query(expression)
    answer = JSON.parse(get("/api/v1/query?#{URI.encode_www_form(query: expression)}").body)
    raise "#{expression}: #{answer["error"]}" unless answer["status"] == "success"
    Array(answer.dig("data", "result")).map do |result|
      QueryResult.new(labels: result["metric"], value: Float(result["value"].last))
    end
  end

  # @return [Float, nil] of the only time series
  def value(expression) = query(expression).first&.value

  # @return [Hash] answer of another part of the API
  def api(path) = JSON.parse(get("/api/v1/#{path}").body).fetch("data")

  private

  def get(path)
    Net::HTTP.start("127.0.0.1", @port, read_timeout: WaitUntil::PATIENCE_S) { |http| http.get(path) }
  end

  def answers?
    get("/-/ready").is_a?(Net::HTTPOK)
  rescue SystemCallError
    false
  end
end

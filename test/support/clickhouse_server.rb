# frozen_string_literal: true

require "net/http"
require "tmpdir"
require_relative "server_process"

# A real ClickHouse of a test's own, at free ports of the loopback, with its data in a temporary folder, which
# is gone afterwards.
#
#   ClickhouseServer.shared.create("holdup") #=> "clickhouse://127.0.0.1:41234/holdup"
class ClickhouseServer
  include ServerProcess

  PROGRAM = %w[/usr/sbin/clickhouse-server /usr/bin/clickhouse-server].find { |path| File.executable?(path) }
  PASSWORD = "secret"
  # Few threads: tables here are small, and other tests need the CPUs.
  USERS = <<~XML
    <yandex>
      <profiles><default>
        <max_memory_usage>1000000000</max_memory_usage>
        <max_threads>1</max_threads>
        <background_pool_size>2</background_pool_size>
        <background_schedule_pool_size>2</background_schedule_pool_size>
      </default></profiles>
      <quotas><default/></quotas>
      <users>
        <default><password></password><networks><ip>127.0.0.1</ip></networks>
          <profile>default</profile><quota>default</quota></default>
      </users>
    </yandex>
  XML

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed? = !PROGRAM.nil?
  end

  # @param data [String, nil] folder of the tables; nil: in a folder of its own
  def initialize(data: nil)
    raise_unless_installed
    @folder = self.class.data_folder("holdup-clickhouse")
    @data = data || File.join(@folder, "data")
    @ports = Array.new(3) { FreePorts.take }
  end

  # @param users [String, nil] a file of users.d
  # @return [self]
  def start(users: nil)
    %w[tmp formats].each { |name| FileUtils.mkdir_p(File.join(@folder, name)) }
    FileUtils.mkdir_p(@data)
    File.write(File.join(@folder, "config.xml"), config)
    File.write(File.join(@folder, "users.xml"), USERS)
    write_users(users) if users
    start_again
  end

  # After `crash`.
  # @return [self]
  def start_again
    @pid = Process.spawn(PROGRAM, "--config-file=#{@folder}/config.xml", chdir: @folder, in: File::NULL,
      out: [log_path, "a"], err: %i[child out])
    wait_until_it_answers
    self
  end

  # @return [String] URL for Store.open
  def url(database = "default", user: nil, password: PASSWORD)
    "clickhouse://#{"#{user}:#{password}@" if user}#{HOST}:#{port}/#{database}"
  end

  # @return [Integer] of HTTP
  def port = @ports.first

  # @return [String] URL of a new database
  def create(database)
    query("CREATE DATABASE #{database}")
    url(database)
  end

  # @return [String] what the server answers, a line for each row
  def query(sql, database: "default")
    answer = Net::HTTP.post(URI("http://#{HOST}:#{port}/?database=#{database}"), sql,
      "Content-Type" => "text/plain")
    raise "#{sql} failed:\n#{answer.body}" unless answer.is_a?(Net::HTTPSuccess)
    answer.body.chomp
  end

  private

  def config
    http, tcp, interserver = @ports
    <<~XML
      <yandex>
        <logger><level>warning</level><console>1</console></logger>
        <listen_host>#{HOST}</listen_host>
        <http_port>#{http}</http_port><tcp_port>#{tcp}</tcp_port>
        <interserver_http_host>#{HOST}</interserver_http_host>
        <interserver_http_port>#{interserver}</interserver_http_port>
        <path>#{@data}/</path><tmp_path>#{@folder}/tmp/</tmp_path>
        <format_schema_path>#{@folder}/formats/</format_schema_path>
        <users_config>users.xml</users_config>
        <default_profile>default</default_profile><default_database>default</default_database>
        <mark_cache_size>5368709</mark_cache_size><max_connections>200</max_connections>
      </yandex>
    XML
  end

  def write_users(users)
    FileUtils.mkdir_p(File.join(@folder, "users.d"))
    File.write(File.join(@folder, "users.d", "holdup.xml"), users)
  end

  def answers?
    Net::HTTP.get_response(HOST, "/", port).is_a?(Net::HTTPSuccess)
  rescue SystemCallError, IOError
    false
  end
end
